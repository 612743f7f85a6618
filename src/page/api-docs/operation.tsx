import { useState } from "preact/hooks";
import type { ApiOperation, ResponseObject } from "./document.ts";
import { Facts, Schema } from "./schema.tsx";
import { Code, Method, Prose } from "./text.tsx";
import { TryIt } from "./try-it.tsx";

/** Shows an operation: its description, parameters, body and responses, and a form that sends a request. */
export function Operation({ operation }: { readonly operation: ApiOperation }) {
  const { id, method, path, description, parameters, body, responses, assumptions, resolve } = operation;
  return (
    <>
      <p class="endpoint">
        <Method name={method} /> <code>{path}</code>
      </p>
      {description && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <p class="quiet">
        Operation <code>{id}</code>. <Access operation={operation} />
      </p>
      <TryIt key={`${operation.api}/${id}`} operation={operation} />
      {assumptions.length > 0 && (
        <section>
          <h2>Assumptions</h2>
          <p class="quiet">The interface leaves these questions open. The choices are those of the mock.</p>
          <dl class="assumptions">
            {assumptions.map(({ question, behaviour }) => (
              <div key={question}>
                <dt>
                  <Prose text={question} />
                </dt>
                <dd>
                  <Prose text={behaviour} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {parameters.length > 0 && (
        <section>
          <h2>Parameters</h2>
          <ul class="members">
            {parameters.map((each) => (
              <li key={each.name}>
                <div class="member">
                  <code>{each.name}</code>
                  <span class="place">in the {each.in}</span>
                  <Facts
                    schema={each.schema ?? each.content?.["application/json"]?.schema ?? {}}
                    resolve={resolve}
                    isRequired={each.required}
                    description={each.description}
                  />
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {body && (
        <section>
          <h2>Request body</h2>
          <p class="quiet">
            {Object.keys(body.content).join(", ")}. {body.isRequired ? "Required." : "Optional."}
          </p>
          <Schema schema={Object.values(body.content)[0]?.schema ?? {}} resolve={resolve} />
        </section>
      )}
      <section>
        <h2>Responses</h2>
        {responses.map(([status, response], index) => (
          <Response key={status} status={status} response={response} operation={operation} isFirst={index === 0} />
        ))}
      </section>
    </>
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
  readonly isFirst: boolean;
}

function Response({ status, response, operation: { resolve }, isFirst }: ResponseProps) {
  const [isOpen, setOpen] = useState(isFirst);
  const { description, headers = {}, content = {} } = response;
  return (
    <details class="response" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{status}</strong> <Prose text={description} />
      </summary>
      {isOpen && Object.keys(headers).length > 0 && (
        <ul class="members">
          {Object.entries(headers).map(([name, header]) => (
            <li key={name} class="member">
              <code>{name}</code>
              <span class="place">header</span>
              <span class="meaning">
                <Prose text={header.description ?? ""} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {isOpen && Object.keys(content).length === 0 && <p class="quiet">No body.</p>}
      {isOpen &&
        Object.entries(content).map(([type, { schema = {}, examples = {} }]) => (
          <div key={type}>
            <p class="quiet">{type}</p>
            <Schema schema={schema} resolve={resolve} />
            {Object.entries(examples).map(([name, { value }]) => (
              <div key={name}>
                <h3>Example{name === "default" ? "" : `: ${name}`}</h3>
                <Code text={JSON.stringify(value, undefined, 2)} label={`Example of ${status}: ${name}`} />
              </div>
            ))}
          </div>
        ))}
    </details>
  );
}
