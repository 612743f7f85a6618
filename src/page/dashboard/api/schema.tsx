import { Fold } from "../parts/fold.tsx";
import { Prose } from "../parts/text.tsx";
import { limitsOf, type Resolve, type SchemaObject, typeOf } from "./document.ts";

interface SchemaProps {
  readonly schema: SchemaObject;
  readonly resolve: Resolve;
}

/** Shows the members of a schema. A part with members of its own is rendered when the user opens it, so schemas may recur. */
export function Schema({ schema: given, resolve }: SchemaProps) {
  const schema = resolve(given);
  const parts = partsOf(schema, resolve);
  const isObject = schema.type === "object" && !schema.oneOf && !schema.anyOf;
  return (
    <>
      {!isObject && <Facts schema={given} resolve={resolve} />}
      {isObject && schema.description && (
        <p class="quiet">
          <Prose text={schema.description} />
        </p>
      )}
      {parts.length > 0 && <Members parts={parts} resolve={resolve} />}
      {isObject && parts.length === 0 && <p class="quiet">Any JSON object.</p>}
    </>
  );
}

interface Part {
  /** The name of a member, or words that describe the part. */
  readonly name: string;
  readonly isMember: boolean;
  readonly isRequired: boolean;
  readonly schema: SchemaObject;
}

/** Returns the parts of a schema: its members, the options of a union, the items of an array. */
function partsOf(schema: SchemaObject, resolve: Resolve): Part[] {
  const part = (name: string, of: SchemaObject, isMember = false, isRequired = false): Part => {
    return { name, schema: of, isMember, isRequired };
  };
  const { properties = {}, patternProperties = {}, additionalProperties, required = [], items } = schema;
  const options = schema.oneOf ?? schema.anyOf ?? [];
  const parts = [
    ...Object.entries(properties)
      .filter(([, each]) => !each.not)
      .map(([name, each]) => part(name, each, true, required.includes(name))),
    ...Object.entries(patternProperties).map(([pattern, each]) => part(`names that match ${pattern}`, each)),
    ...(typeof additionalProperties === "object" ? [part("any other name", additionalProperties)] : []),
    ...options.map((each, index) => part(`option ${index + 1}`, each)),
    ...(schema.prefixItems ?? []).map((each, index) => part(`item ${index + 1}`, each)),
  ];
  // An array has the parts of its items, unless the items have none: its type says enough then.
  if (items) parts.push(...partsOf(resolve(items), resolve));
  return parts;
}

function Member({ name, isMember, isRequired, schema, resolve }: Part & { readonly resolve: Resolve }) {
  const parts = partsOf(resolve(schema), resolve);
  return (
    <li>
      <div class="member">
        {isMember ? <code>{name}</code> : <span class="quiet">{name}</span>}
        <Facts schema={schema} resolve={resolve} isRequired={isRequired} />
      </div>
      {parts.length > 0 && (
        <Fold title={`Members of ${name}`}>{() => <Members parts={parts} resolve={resolve} />}</Fold>
      )}
    </li>
  );
}

function Members({ parts, resolve }: { readonly parts: readonly Part[]; readonly resolve: Resolve }) {
  return (
    <ul class="members">
      {parts.map((part) => (
        <Member key={part.name} {...part} resolve={resolve} />
      ))}
    </ul>
  );
}

interface FactsProps extends SchemaProps {
  readonly isRequired?: boolean;
  /** Replaces the description of the schema. */
  readonly description?: string;
}

/** Shows the type, the limits and the description of a value. */
export function Facts({ schema: given, resolve, isRequired = false, description }: FactsProps) {
  const schema = resolve(given);
  const limits = limitsOf(schema);
  const text = description ?? schema.description;
  return (
    <>
      <span class="type">{typeOf(given)}</span>
      {isRequired && <span class="required">required</span>}
      {limits.length > 0 && <span class="limits">{limits.join(", ")}</span>}
      {text && (
        <span class="meaning">
          <Prose text={text} />
        </span>
      )}
    </>
  );
}
