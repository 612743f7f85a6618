import { Fragment } from "preact";
import type { RequestEntry } from "../../client/types.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Failure } from "../parts/action.tsx";
import { curlOf } from "./curl.ts";

/** The details of a request: its response and the decisions that led to it. */
export function Request({ project, id, closeHref }: { project: string; id: string; closeHref: string }) {
  const controls = useProject(project);
  const entry = useLoaded(
    () => controls.requests.get(id),
    () => false,
  );
  return (
    <section class="pane item" aria-label={`Request ${id}`}>
      <a class="close" href={closeHref} aria-label="Close this request">
        ×
      </a>
      <Failure of={entry} />
      {entry.value && <Entry {...entry.value} />}
    </section>
  );
}

function Entry(entry: RequestEntry) {
  const { id, operation, request, response, source, decisions, violations, unnamed, timings } = entry;
  const curl = curlOf(entry, location.origin);
  return (
    <>
      <h2>
        {request.method} {request.path}
      </h2>
      <dl class="facts">
        <dt>Operation</dt>
        <dd>{operation ?? "no operation matches"}</dd>
        <dt>Source</dt>
        <dd>{source}</dd>
        <dt>Received</dt>
        <dd>
          {timings.receivedAt}, response after {timings.duration} ms
        </dd>
        <dt>Id</dt>
        <dd>{id}</dd>
      </dl>

      <h3>Decisions</h3>
      <ol>
        {decisions.map((decision) => (
          <li key={decision}>{decision}</li>
        ))}
      </ol>
      {violations.length > 0 && (
        <>
          <h3>Contract violations</h3>
          <ul>
            {violations.map(({ code, message, field }) => (
              <li key={`${code} ${field}`}>
                <b>{code}</b> {message}
              </li>
            ))}
          </ul>
        </>
      )}

      <h3>Request</h3>
      <Facts of={request.pathParameters} />
      <Facts
        of={Object.fromEntries(Object.entries(request.query).map(([name, values]) => [name, values.join(", ")]))}
      />
      {unnamed.length > 0 && <p class="quiet">Not in the contract: {unnamed.join(", ")}</p>}
      <Message headers={request.headers} body={request.body} />
      {curl && (
        <details>
          <summary>curl command</summary>
          <pre class="command">{curl}</pre>
        </details>
      )}

      <h3>
        Response{" "}
        <span class="status" data-class={Math.floor(response.status / 100)}>
          {response.status}
        </span>
      </h3>
      <Message headers={response.headers} body={response.body} />
    </>
  );
}

function Message({ headers, body }: Pick<RequestEntry["response"], "headers" | "body">) {
  return (
    <>
      <details>
        <summary>Headers</summary>
        <Facts of={headers} />
      </details>
      {body && <pre>{bodyText(body)}</pre>}
      {body?.cut && <p class="quiet">The journal truncated this body of {body.bytes} bytes.</p>}
    </>
  );
}

function Facts({ of }: { of: Readonly<Record<string, string>> }) {
  return (
    <dl class="facts">
      {Object.entries(of).map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function bodyText({ json, text, base64, bytes }: NonNullable<RequestEntry["request"]["body"]>): string {
  if (json !== undefined) return JSON.stringify(json, undefined, 2);
  return text ?? (base64 === undefined ? `${bytes} bytes` : `${bytes} bytes: ${base64}`);
}
