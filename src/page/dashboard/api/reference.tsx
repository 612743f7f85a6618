/* What the contract says of an operation. */

import { Inline } from "../parts/markdown.tsx";
import { Facts, Fold, JsonView } from "../parts/text.tsx";
import { type ApiOperation, type Content, JSON_TYPE, limitsOf, partsOf, type SchemaPart, typeOf } from "./document.ts";

/** The parameters, the body and the responses of an operation, and what the mock assumes. */
export function Reference({ operation }: { readonly operation: ApiOperation }) {
  const { parameters, requestBody: body, responses, "x-assumptions": assumptions = [] } = operation;
  const parts = parameters.map(
    ({ name, in: place, schema, content, required, description }): SchemaPart => ({
      ...{ name, place, isMember: true, isRequired: required },
      schema: { ...(schema ?? content?.[JSON_TYPE]?.schema), ...(description && { description }) },
    }),
  );
  const sections = {
    Assumptions: assumptions.length > 0 && (
      <Facts of={assumptions.map(({ id, behaviour }) => [id, <Inline key={id} text={behaviour} />] as const)} />
    ),
    Parameters: parts.length > 0 && <Parts of={parts} />,
    [`Request body${body?.required ? ", required" : ""}`]: body && <Media of={body.content} name="the request" />,
    Responses:
      responses.length > 0 &&
      responses.map(([status, { description = "", content = {} }]) => (
        <Fold
          key={status}
          title={
            <>
              <strong>{status}</strong> <Inline text={description} />
            </>
          }
        >
          {() => <Media of={content} name={status} />}
        </Fold>
      )),
  };
  return Object.entries(sections).map(
    ([title, content]) =>
      content && (
        <section key={title} class="reference">
          <h3>{title}</h3>
          {content}
        </section>
      ),
  );
}

/** The schema of each media type, and its examples. */
function Media({ of, name: owner }: { readonly of: Content; readonly name: string }) {
  return Object.entries(of).map(([type, { schema = {}, example, examples = { default: { value: example } } }]) => (
    <div key={type}>
      <p class="quiet">{type}</p>
      <Part schema={schema} />
      <Parts of={partsOf(schema)} />
      {Object.entries(examples).map(
        ([name, { value }]) =>
          value !== undefined && (
            <Fold key={name} title={name === "default" ? "Example" : `Example: ${name}`}>
              {() => <JsonView value={value} label={`Example of ${owner}: ${name}`} />}
            </Fold>
          ),
      )}
    </div>
  ));
}

/** Parts with members of their own are rendered when the user opens them, so schemas may recur. */
function Parts({ of }: { readonly of: readonly SchemaPart[] }) {
  return (
    <ul class="plain members">
      {of.map((part) => {
        const inner = partsOf(part.schema);
        return (
          <li key={`${part.place} ${part.name}`}>
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
        {place && <span class="quiet">{place}</span>}
        <span>{typeOf(schema)}</span>
        {isRequired && <span class="required">required</span>}
        <span class="quiet">{limitsOf(schema).join(", ")}</span>
      </div>
      {schema.description && <Inline text={schema.description} />}
    </>
  );
}
