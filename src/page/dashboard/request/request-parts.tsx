/* The parts of an open request: why, request, response and changes. */

import { MAX_KEPT_BODY } from "../../../contract/index.ts";
import type { RequestEntry, Side } from "../../../control/client/index.ts";
import { dataRoute, type Places, whyOf } from "../../../journal/index.ts";
import { useOperationLines } from "../live/contract.ts";
import { useProject, useSession, useTypes } from "../live/session.ts";
import { Button, Failure, useAction, useToasts } from "../parts/action.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { Picture } from "../parts/files.tsx";
import { Code, counted, Facts, Fold, JsonView, Time, Words } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { type Body, bytesOf, type Headers, mediaTypeOf } from "./copies.ts";

export interface PartProps {
  readonly entry: RequestEntry;
}

/** The most changes that are shown. */
const MAX_LISTED = 100;

/** What led to the response: further sentences, violations, the decisions in their order, and facts. */
export function Why({ entry }: PartProps) {
  const { project = "" } = useSession();
  const { id, operation, source, unnamed, timings, changes, decisions, violations, upstream, response } = entry;
  const places = usePlaces(entry);
  const change = changes.find(({ type }) => places.types.get(type)?.kind === "collection");
  const changed = change?.id ?? places.id;
  const differs = (upstream?.differs ?? []).map(({ assumption, ...each }) => ({ ...each, code: assumption }));
  const isFailed = response.status === 0 || response.status >= 400;
  return (
    <>
      {whyOf(project, entry, places).more.map((sentence, index) => (
        <p key={index}>
          <Words of={sentence} />
        </p>
      ))}
      {isFailed && <Rewinds entry={entry} />}
      <Violations title="Contract violations" of={violations} />
      <Violations title="Contract violations of the upstream" of={upstream?.violations.response ?? []} />
      <Violations title="Differs from the assumptions of the mock" of={differs} />
      <h3>Decisions</h3>
      <ol>
        {decisions.map((decision, index) => (
          <li key={index}>{decision}</li>
        ))}
      </ol>
      <Facts
        of={[
          ["Operation", operation ?? "no operation matches"],
          [
            "Item",
            changed !== undefined && (
              <>
                <a href={hrefOf(dataRoute(project, places.collectionOf(change?.type), changed))}>
                  {changed} and its history
                </a>
                {" · "}
                <a href={hrefOf({ project, filter: { changed } })}>requests that changed it</a>
              </>
            ),
          ],
          ["Source", source],
          ["Received", <Time key="received" of={timings.serverTime} as="full" />],
          ["Duration", `${timings.duration.toFixed(1)} ms`],
          ["Unknown query", unnamed.length > 0 && `${unnamed.join(", ")} (not in the contract)`],
          ["Id", <code key="id">{id}</code>],
        ]}
      />
      {isFailed && response.body && (
        <>
          <h3>What the client got</h3>
          <ResponseMessage entry={entry} />
        </>
      )}
    </>
  );
}

/** Returns where the state has the items that a request is about, and the stored types. */
export function usePlaces({ operation, request: { pathParameters } }: RequestEntry) {
  const types = useTypes();
  const line = useOperationLines().value?.find(({ id }) => id === operation);
  const pathOf = (name = "") => types.get(name)?.path;
  const collectionOf: Places["collectionOf"] = (name = line?.type) => {
    const path = pathOf(name);
    if (!path?.includes("{")) return name;
    const filled = path.replace(/\{([^}]+)\}/g, (whole, parameter: string) =>
      Object.hasOwn(pathParameters, parameter) ? encodeURIComponent(pathParameters[parameter] ?? "") : whole,
    );
    // The type of a path that the request does not have.
    return filled.includes("{") ? name : filled;
  };
  const [, below = ""] = line?.path.split(`${pathOf(line.type)}/`) ?? [];
  const parameter = /^\{([^}]+)\}/.exec(below)?.[1];
  return { types, collectionOf, id: parameter === undefined ? undefined : pathParameters[parameter] };
}

function Violations({ title, of }: { readonly title: string; readonly of: RequestEntry["violations"] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain">
        {of.map(({ code, message }, index) => (
          <li key={index}>
            {message} <span class="quiet">{code}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The request as it was sent: parameters, headers and body; and what the upstream got and sent, if there is one. */
export function RequestMessage({ entry: { request, upstream } }: PartProps) {
  const { method, path, pathParameters, query, headers, body } = request;
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  // The title of the page is the project key.
  const parameters = Object.entries(pathParameters).filter(([name]) => name !== "projectKey");
  return (
    <>
      <p class="mono">
        {method} {path}
      </p>
      {parameters.length > 0 && <h3>Path parameters</h3>}
      <Facts of={parameters} isCode />
      {pairs.length > 0 && <h3>Query</h3>}
      <Facts of={pairs} isCode />
      <HeaderList of={headers} />
      {body && <BodyView label="Request body" headers={headers} body={body} />}
      {upstream && (
        <section aria-label="Upstream">
          <h3>Upstream</h3>
          <Facts
            of={[
              ["Sent", `${method} ${upstream.url}`],
              ["Received", upstream.response && `${upstream.response.status} after ${upstream.ms.toFixed(1)} ms`],
              ["Error", upstream.error],
              ["Recorded as", upstream.recorded],
            ]}
          />
        </section>
      )}
    </>
  );
}

export function ResponseMessage({ entry: { response, request } }: PartProps) {
  const { status, headers, body } = response;
  return (
    <>
      <HeaderList of={headers} />
      {body && <BodyView label="Response body" headers={headers} body={body} />}
      {!body && status > 0 && (
        <p class="quiet">{request.method === "HEAD" ? "A response to HEAD has no body." : "No body."}</p>
      )}
    </>
  );
}

function HeaderList({ of }: { readonly of: Headers }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return <Fold title={counted(entries.length, "header")}>{() => <Facts of={entries} isCode />}</Fold>;
}

/** Formats that browsers show without running anything. */
const picture = /^image\/(png|jpeg|gif|webp|avif)$/;

interface BodyViewProps {
  readonly label: string;
  readonly headers: Headers;
  readonly body: Body;
}

function BodyView({ label, headers, body }: BodyViewProps) {
  const { json, text, base64, cut, bytes } = body;
  const type = mediaTypeOf(headers);
  return (
    <>
      <p class="quiet">
        {[type || "no content type", counted(bytes, "byte")].join(", ")}
        {cut &&
          ` · The journal keeps only the first ${MAX_KEPT_BODY / 1024} KiB of a body. No setting raises this limit.`}
      </p>
      {json !== undefined && <JsonView value={json} label={label} />}
      {json === undefined && text !== undefined && <Code text={text} label={label} />}
      {base64 !== undefined && !cut && picture.test(type) && (
        <Picture alt={label} bytes={() => Promise.resolve(new Blob([bytesOf(body)], { type }))} />
      )}
    </>
  );
}

/** What a request changed, with controls to restore the state before and after it. */
export function Changes({ entry }: PartProps) {
  const { project = "" } = useSession();
  const { changes } = entry;
  const { types, collectionOf } = usePlaces(entry);
  if (changes.length === 0) return <p class="quiet">This request changed nothing.</p>;
  return (
    <section aria-label="What it changed">
      <Rewinds entry={entry} />
      {changes.slice(0, MAX_LISTED).map((change, index) => {
        const { type, id, from, to } = change;
        const kind = types.get(type)?.kind ?? "collection";
        const collection = collectionOf(type);
        const item = kind === "collection" ? id : undefined;
        return (
          <div key={index}>
            <p>
              <a href={hrefOf(dataRoute(project, collection, item))}>{item ?? `${type} ${id}`.trimEnd()}</a>{" "}
              {from === null ? "created" : to === null ? "deleted" : `${from} → ${to}`}{" "}
              {item !== undefined && <span class="count">{collection}</span>}
            </p>
            <ChangeView {...change} unit={kind === "files" ? "bytes" : undefined} />
          </div>
        );
      })}
      {changes.length > MAX_LISTED && <p>And {counted(changes.length - MAX_LISTED, "further change")}.</p>}
    </section>
  );
}

/** Buttons that restore the state before or after a request, also of one that changed nothing. */
function Rewinds({ entry: { id, request } }: PartProps) {
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const rewind = async (side: Side) => {
    const { undo } = await controls.rewind(id, side);
    toasts.show(`Rewound to ${side} ${request.method} ${request.path.slice(0, 100)}`, () => controls.rewind(undo));
  };
  return (
    <>
      <div class="bar rewinds">
        {(["before", "after"] as const).map((side) => (
          <Button key={side} action={action} run={() => rewind(side)}>
            Rewind to {side}
          </Button>
        ))}
      </div>
      <Failure of={action} />
    </>
  );
}
