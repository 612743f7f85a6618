/* What the contract says of an operation. */

import type { ComponentChildren } from "preact";
import type { Schema } from "../../../contract/index.ts";
import { Code, Facts, Fold, Prose } from "../parts/text.tsx";
import { type ApiOperation, JSON_TYPE, limitsOf, type ResponseObject, typeOf } from "./document.ts";

/** What an operation does, its id and path, and the token that it needs. */
export function About({ operation: { id, path, description = "", api, security } }: { operation: ApiOperation }) {
  const scopes = security.flatMap((each) => Object.values(each).flat());
  const access = `Scopes that grant access: ${scopes.map((scope) => `\`${scope}\``).join(" or ")}.`;
  return (
    <div class="operation-about">
      <p>
        <Prose text={description} />
      </p>
      <p class="quiet">
        <code>{id}</code> <code>{path}</code>.{" "}
        {security.length === 0 ? (
          "Calls need no token."
        ) : api === "control" ? (
          "Calls need the admin token, if the server has one."
        ) : (
          <Prose text={scopes.length === 0 ? "Any token of the project grants access." : access} />
        )}
      </p>
    </div>
  );
}

/** The parameters, the body and the responses of an operation, and what the mock assumes. */
export function Reference({ operation }: { readonly operation: ApiOperation }) {
  const { parameters, requestBody: body, responses, "x-assumptions": assumptions = [] } = operation;
  return (
    <>
      {assumptions.length > 0 && (
        <Section title="Assumptions">
          <p class="quiet">The interface does not state this behaviour of the mock.</p>
          <Facts of={assumptions.map(({ id, behaviour }) => [id, <Prose key={id} text={behaviour} />] as const)} />
        </Section>
      )}
      {parameters.length > 0 && (
        <Section title="Parameters">
          <Parts
            of={parameters.map(({ name, in: place, schema, content, required, description }) => ({
              ...{ name, place, isMember: true, isRequired: required },
              schema: { ...(schema ?? content?.[JSON_TYPE]?.schema), ...(description && { description }) },
            }))}
          />
        </Section>
      )}
      {body && (
        <Section title="Request body">
          <p class="quiet">
            {Object.keys(body.content).join(", ")}. {body.required ? "Required." : "Optional."}
          </p>
          <Members of={Object.values(body.content)[0]?.schema ?? {}} />
        </Section>
      )}
      <Section title="Responses">
        {responses.map(([status, response]) => (
          <ResponseOf key={status} status={status} response={response} />
        ))}
      </Section>
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
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
          <Facts
            of={Object.entries(headers).map(
              ([name, header]) => [name, <Prose key={name} text={header.description ?? ""} />] as const,
            )}
          />
          {Object.keys(content).length === 0 && <p class="quiet">No body.</p>}
          {Object.entries(content).map(([type, { schema = {}, examples = {} }]) => (
            <div key={type}>
              <p class="quiet">{type}</p>
              <Members of={schema} />
              {Object.entries(examples).map(([name, { value }]) => (
                <div key={name}>
                  <p class="quiet">Example{name === "default" ? "" : `: ${name}`}</p>
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

/** Shows a schema and its members. */
function Members({ of: schema }: { readonly of: Schema }) {
  return (
    <>
      <Part schema={schema} />
      <Parts of={partsOf(schema)} />
    </>
  );
}

/** A parameter, or a part of a schema: a member, an option of a union, an item of an array. */
interface SchemaPart {
  /** The name of a parameter or member, or words that describe the part. */
  readonly name?: string;
  readonly isMember?: boolean;
  readonly isRequired?: boolean;
  /** Where a parameter is: `path`, `query` or `header`. */
  readonly place?: string;
  readonly schema: Schema;
}

/** Returns the parts of a schema: its members, the options of a union, the items of an array. */
function partsOf(schema: Schema): SchemaPart[] {
  const { properties = {}, patternProperties = {}, additionalProperties, required = [], items } = schema;
  const options = schema.oneOf ?? schema.anyOf ?? [];
  const parts: SchemaPart[] = [
    ...Object.entries(properties)
      .filter(([, each]) => !each.not)
      .map(([name, each]) => ({ name, schema: each, isMember: true, isRequired: required.includes(name) })),
    ...Object.entries(patternProperties).map(([pattern, each]) => ({
      name: `names that match ${pattern}`,
      schema: each,
    })),
    ...(typeof additionalProperties === "object" ? [{ name: "any other name", schema: additionalProperties }] : []),
    ...options.map((each, index) => ({ name: `option ${index + 1}`, schema: each })),
    ...(schema.prefixItems ?? []).map((each, index) => ({ name: `item ${index + 1}`, schema: each })),
  ];
  // An array has the parts of its items, unless the items have none: its type says enough then.
  return items ? [...parts, ...partsOf(items)] : parts;
}

/** Parts with members of their own are rendered when the user opens them, so schemas may recur. */
function Parts({ of }: { readonly of: readonly SchemaPart[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="plain members">
      {of.map((part) => {
        const inner = partsOf(part.schema);
        return (
          <li key={part.name}>
            <Part {...part} />
            {inner.length > 0 && <Fold title={`Members of ${part.name}`}>{() => <Parts of={inner} />}</Fold>}
          </li>
        );
      })}
    </ul>
  );
}

function Part({ name, isMember, isRequired, place, schema }: SchemaPart) {
  return (
    <>
      <div class="bar">
        {isMember ? <code>{name}</code> : name && <span class="quiet">{name}</span>}
        {place && <span class="quiet">in the {place}</span>}
        <span>{typeOf(schema)}</span>
        {isRequired && <span class="required">required</span>}
        <span class="quiet">{limitsOf(schema).join(", ")}</span>
      </div>
      {schema.description && <Prose text={schema.description} />}
    </>
  );
}
