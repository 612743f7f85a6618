import type { ComponentChildren } from "preact";
import type { Schema } from "../../../contract/index.ts";
import { Code, Fold, Prose } from "../parts/text.tsx";
import { type ApiOperation, limitsOf, type ResponseObject, typeOf } from "./document.ts";

/** What the contract says of an operation: its description, parameters, body and responses, and what the mock assumes. */
export function Reference({ operation }: { readonly operation: ApiOperation }) {
  const { id, path, description, parameters, body, responses, assumptions } = operation;
  return (
    <>
      <p>{description && <Prose text={description} />}</p>
      <p class="quiet">
        <code>{id}</code> <code>{path}</code>. <Access operation={operation} />
      </p>
      {assumptions.length > 0 && (
        <Part title="Assumptions">
          <p class="quiet">The interface does not state this behaviour of the mock.</p>
          <dl>
            {assumptions.map(({ id, behaviour }) => (
              <div key={id}>
                <dt>
                  <code>{id}</code>
                </dt>
                <dd>
                  <Prose text={behaviour} />
                </dd>
              </div>
            ))}
          </dl>
        </Part>
      )}
      {parameters.length > 0 && (
        <Part title="Parameters">
          <ul class="plain members">
            {parameters.map(({ name, in: place, schema, content, required, description }) => (
              <li key={name}>
                <div class="member">
                  <code>{name}</code>
                  <span class="quiet">in the {place}</span>
                  <Facts
                    schema={schema ?? content?.["application/json"]?.schema ?? {}}
                    isRequired={required}
                    description={description}
                  />
                </div>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {body && (
        <Part title="Request body">
          <p class="quiet">
            {Object.keys(body.content).join(", ")}. {body.isRequired ? "Required." : "Optional."}
          </p>
          <Members of={Object.values(body.content)[0]?.schema ?? {}} />
        </Part>
      )}
      <Part title="Responses">
        {responses.map(([status, response]) => (
          <ResponseOf key={status} status={status} response={response} />
        ))}
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Says which token a call needs. */
function Access({ operation: { api, security } }: { readonly operation: ApiOperation }) {
  if (security.length === 0) return <>Calls need no token.</>;
  if (api === "control") return <>Calls need the admin token, if the server has one.</>;
  const scopes = security.flatMap((each) => Object.values(each).flat());
  if (scopes.length === 0) return <>Any token of the project grants access.</>;
  return (
    <>
      Scopes that grant access: <Prose text={scopes.map((scope) => `\`${scope}\``).join(" or ")} />.
    </>
  );
}

function ResponseOf({ status, response }: { readonly status: string; readonly response: ResponseObject }) {
  const { description, headers = {}, content = {} } = response;
  const title = (
    <>
      <strong>{status}</strong> <Prose text={description} />
    </>
  );
  return (
    <Fold title={title}>
      {() => (
        <>
          {Object.entries(headers).map(([name, header]) => (
            <p key={name}>
              <code>{name}</code> <span class="quiet">header</span> <Prose text={header.description ?? ""} />
            </p>
          ))}
          {Object.keys(content).length === 0 && <p class="quiet">No body.</p>}
          {Object.entries(content).map(([type, { schema = {}, examples = {} }]) => (
            <div key={type}>
              <p class="quiet">{type}</p>
              <Members of={schema} />
              {Object.entries(examples).map(([name, { value }]) => (
                <div key={name}>
                  <h4>Example{name === "default" ? "" : `: ${name}`}</h4>
                  <Code text={JSON.stringify(value, undefined, 2)} label={`Example of ${status}: ${name}`} />
                </div>
              ))}
            </div>
          ))}
        </>
      )}
    </Fold>
  );
}

/** Shows the members of a schema. A part with members of its own is rendered when the user opens it, so schemas may recur. */
function Members({ of: schema }: { readonly of: Schema }) {
  const parts = partsOf(schema);
  const isObject = schema.type === "object" && !schema.oneOf && !schema.anyOf;
  return (
    <>
      {!isObject && <Facts schema={schema} />}
      {isObject && schema.description && (
        <p class="quiet">
          <Prose text={schema.description} />
        </p>
      )}
      {parts.length > 0 && <PartList parts={parts} />}
      {isObject && parts.length === 0 && <p class="quiet">Any JSON object.</p>}
    </>
  );
}

interface Part {
  /** The name of a member, or words that describe the part. */
  readonly name: string;
  readonly isMember: boolean;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** Returns the parts of a schema: its members, the options of a union, the items of an array. */
function partsOf(schema: Schema): Part[] {
  const part = (name: string, of: Schema, isMember = false, isRequired = false): Part => {
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
  if (items) parts.push(...partsOf(items));
  return parts;
}

function Member({ name, isMember, isRequired, schema }: Part) {
  const parts = partsOf(schema);
  return (
    <li>
      <div class="member">
        {isMember ? <code>{name}</code> : <span class="quiet">{name}</span>}
        <Facts schema={schema} isRequired={isRequired} />
      </div>
      {parts.length > 0 && <Fold title={`Members of ${name}`}>{() => <PartList parts={parts} />}</Fold>}
    </li>
  );
}

function PartList({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <ul class="plain members">
      {parts.map((part) => (
        <Member key={part.name} {...part} />
      ))}
    </ul>
  );
}

interface FactsProps {
  readonly schema: Schema;
  readonly isRequired?: boolean;
  readonly description?: string;
}

function Facts({ schema, isRequired = false, description }: FactsProps) {
  const limits = limitsOf(schema);
  const text = description ?? schema.description;
  return (
    <>
      <span class="type">{typeOf(schema)}</span>
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
