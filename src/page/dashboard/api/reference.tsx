import type { ComponentChildren } from "preact";
import { Fold } from "../parts/fold.tsx";
import { Code, Prose } from "../parts/text.tsx";
import type { ApiOperation, ResponseObject } from "./document.ts";
import { Facts, Schema } from "./schema.tsx";

/** What the contract says of an operation: its description, parameters, body and responses, and what the mock assumes. */
export function Reference({ operation }: { readonly operation: ApiOperation }) {
  const { id, path, description, parameters, body, responses, assumptions, resolve } = operation;
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
          <ul class="members">
            {parameters.map(({ name, in: place, schema, content, required, description }) => (
              <li key={name}>
                <div class="member">
                  <code>{name}</code>
                  <span class="quiet">in the {place}</span>
                  <Facts
                    schema={schema ?? content?.["application/json"]?.schema ?? {}}
                    resolve={resolve}
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
          <Schema schema={Object.values(body.content)[0]?.schema ?? {}} resolve={resolve} />
        </Part>
      )}
      <Part title="Responses">
        {responses.map(([status, response]) => (
          <ResponseOf key={status} status={status} response={response} operation={operation} />
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

interface ResponseProps {
  readonly status: string;
  readonly response: ResponseObject;
  readonly operation: ApiOperation;
}

function ResponseOf({ status, response, operation: { resolve } }: ResponseProps) {
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
              <Schema schema={schema} resolve={resolve} />
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
