/* The parts of an open request: why, request, response and changes. */

import type { ComponentChildren } from "preact";
import { headerOf } from "../../../contract/index.ts";
import type { RequestEntry, Side, StoredType } from "../../../control/client/index.ts";
import { whyOf } from "../../../journal/index.ts";
import { useKinds, useProject, useSession } from "../live/session.ts";
import { Button, Failure, useAction, useToasts } from "../parts/action.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { Picture } from "../parts/files.tsx";
import { Code, counted, Facts, Fold, inUnits, JsonView, Status, Time, Words } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { type Body, bytesOf, type Headers, mediaTypeOf } from "./copies.ts";

/** What led to the response: further sentences, violations, the decisions in their order, and facts. */
export function Why({ entry }: { readonly entry: RequestEntry }) {
  const { project = "" } = useSession();
  const { decisions, violations, upstream } = entry;
  return (
    <>
      {whyOf(project, entry).more.map((sentence, index) => (
        <p key={index}>
          <Words of={sentence} />
        </p>
      ))}
      <Violations title="Contract violations" of={violations} />
      <Violations title="Contract violations of the upstream" of={upstream?.violations.response ?? []} />
      <Violations
        title="Differs from the assumptions of the mock"
        of={(upstream?.differs ?? []).map(({ assumption, ...each }) => ({ ...each, code: assumption }))}
      />
      <h3>Decisions</h3>
      <ol class="request-decisions">
        {decisions.map((decision, index) => (
          <li key={index}>{decision}</li>
        ))}
      </ol>
      <FactsOf entry={entry} />
    </>
  );
}

function Violations({ title, of }: { readonly title: string; readonly of: RequestEntry["violations"] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain request-violations">
        {of.map(({ code, message }, index) => (
          <li key={index}>
            {message} <span class="quiet">{code}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Project and server clocks that differ by less are the same, in milliseconds. */
const SAME_CLOCK_MS = 50;

function FactsOf({ entry }: { readonly entry: RequestEntry }) {
  const { project } = useSession();
  const { id, operation, source, unnamed, timings, changes, request } = entry;
  const { serverTime, receivedAt, duration } = timings;
  const kinds = useKinds();
  const changed = changes.find(({ type }) => kinds.get(type) === "collection")?.id ?? request.pathParameters.id;
  const ahead = Date.parse(receivedAt) - Date.parse(serverTime);
  const links = changed !== undefined && (
    <>
      <a href={hrefOf({ project, view: "state", item: changed })}>{changed} and its history</a>
      {" · "}
      <a href={hrefOf({ project, filter: { changed } })}>requests that changed it</a>
    </>
  );
  const clock = Math.abs(ahead) > SAME_CLOCK_MS && (
    <>
      <Time of={receivedAt} as="full" />{" "}
      <span class="quiet">
        ({inUnits(Math.abs(ahead), 1)} {ahead > 0 ? "ahead of" : "behind"} the server’s clock)
      </span>
    </>
  );
  const facts = [
    ["Operation", operation ?? "no operation matches"],
    ["Resource", links],
    ["Source", source],
    ["Received", <Time key="received" of={serverTime} as="full" />],
    ["Project’s clock", clock],
    ["Duration", `${duration.toLocaleString("en", { maximumFractionDigits: 1 })} ms`],
    ["Unknown query", unnamed.length > 0 && `${unnamed.join(", ")} (not in the contract)`],
    ["Id", <code key="id">{id}</code>],
  ] as const;
  return <Facts of={facts} />;
}

interface MessageProps {
  readonly entry: RequestEntry;
}

/** The request as it was sent: path, parameters, headers and body; and what the upstream got and sent, if there is one. */
export function RequestMessage({ entry }: MessageProps) {
  const { pathParameters, query, headers, body } = entry.request;
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  // The title of the page is the project key.
  const parameters = Object.entries(pathParameters).filter(([name]) => name !== "projectKey");
  return (
    <>
      {parameters.length > 0 && <h3>Path parameters</h3>}
      <Facts of={parameters} isCode />
      {pairs.length > 0 && <h3>Query</h3>}
      <Facts of={pairs} isCode />
      <HeaderList of={headers} />
      {body && (
        <BodyView label="Request body" headers={headers} body={body}>
          {body.cut && isImage(headers) && <StoredImage entry={entry} />}
        </BodyView>
      )}
      {entry.upstream && <UpstreamMessages upstream={entry.upstream} method={entry.request.method} />}
    </>
  );
}

/** What was sent to the upstream, and what came back. The bodies are those of the request and the response. */
function UpstreamMessages({ upstream, method }: { upstream: NonNullable<RequestEntry["upstream"]>; method: string }) {
  const { url, ms, request, response, error, recorded } = upstream;
  return (
    <section aria-label="Upstream">
      <h3>Sent to the upstream</h3>
      <p class="mono">
        {method} {url}
      </p>
      <HeaderList of={request.headers} />
      <h3>Received from the upstream {response && <Status of={response.status} />}</h3>
      <p class="quiet">
        {`${response ? "after" : "nothing after"} ${ms.toLocaleString("en", { maximumFractionDigits: 1 })} ms`}
        {recorded !== undefined && ` · recorded as ${recorded}`}
      </p>
      {error !== undefined && <p>{error}</p>}
      {response && <HeaderList of={response.headers} />}
    </section>
  );
}

export function ResponseMessage({ entry: { response, request } }: MessageProps) {
  const { status, headers, body } = response;
  return (
    <>
      <HeaderList of={headers} />
      {body ? (
        <BodyView label="Response body" headers={headers} body={body} />
      ) : (
        status > 0 && <p class="quiet">{request.method === "HEAD" ? "A response to HEAD has no body." : "No body."}</p>
      )}
    </>
  );
}

function HeaderList({ of }: { readonly of: Headers }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return <Fold title={counted(entries.length, "header")}>{() => <Facts of={entries} isCode />}</Fold>;
}

interface BodyViewProps {
  readonly label: string;
  readonly headers: Headers;
  readonly body: Body;
  readonly children?: ComponentChildren;
}

function BodyView({ label, headers, body, children }: BodyViewProps) {
  const { json, text = "", base64, cut, bytes } = body;
  const type = mediaTypeOf(headers);
  const isPicture = base64 !== undefined && isImage(headers) && !cut;
  return (
    <>
      <p class="quiet">
        {[type || "no content type", counted(bytes, "byte")].join(", ")}
        {cut && " · The journal keeps only the start of this body."}
      </p>
      {children ||
        (json !== undefined ? (
          <JsonView value={json} label={label} />
        ) : isPicture ? (
          <Picture alt={label} bytes={() => Promise.resolve(new Blob([bytesOf(body)], { type }))} />
        ) : (
          base64 === undefined && <Code text={text} label={label} />
        ))}
    </>
  );
}

/** Formats that browsers show without running anything. */
function isImage(headers: Headers): boolean {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaTypeOf(headers));
}

/** The uploaded image, which the project keeps whole. */
function StoredImage({ entry: { changes, request } }: MessageProps) {
  const controls = useProject();
  const kinds = useKinds();
  const id = changes.find(({ type }) => kinds.get(type) === "files")?.id;
  const name = request.query.filename?.[0] ?? headerOf(request.headers, "Content-Type") ?? "";
  if (id === undefined) return kinds.size > 0 && <p class="quiet">The image is too large for the journal.</p>;
  return <Picture alt={`Uploaded image ${name}`} bytes={() => controls.images.get(id)} />;
}

type Change = RequestEntry["changes"][number];

const MAX_LISTED = 100;

/** What a request changed, with controls to see and to restore the state before and after it. */
export function Changes({ entry }: { readonly entry: RequestEntry }) {
  const { changes } = entry;
  const kinds = useKinds();
  if (changes.length === 0) return <p class="quiet">This request changed nothing.</p>;
  const more = changes.length - MAX_LISTED;
  return (
    <section class="request-changes" aria-label="What it changed">
      <Moments entry={entry} />
      {changes.slice(0, MAX_LISTED).map((change, index) => (
        <div key={index}>
          <h3>
            <Changed change={change} kind={kinds.get(change.type)} />
          </h3>
          <ChangeView {...change} unit={kinds.get(change.type) === "files" ? "bytes" : undefined} />
        </div>
      ))}
      {more > 0 && <p class="quiet">And {counted(more, "further change")}.</p>}
    </section>
  );
}

function Changed({ change, kind }: { readonly change: Change; readonly kind: StoredType["kind"] | undefined }) {
  const { project } = useSession();
  const { type, id, from, to } = change;
  const part = kind === "files" ? "images" : kind === "singleton" ? "action" : undefined;
  const route = part ? { filter: { part } } : { item: id };
  return (
    <>
      <a href={hrefOf({ project, view: "state", ...route })}>{part ? `${type} ${id}` : id}</a>{" "}
      {from === null ? "created" : to === null ? "deleted" : `${from} → ${to}`}
    </>
  );
}

function Moments({ entry }: { readonly entry: RequestEntry }) {
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const { method, path } = entry.request;
  const name = `${method} ${path.slice(0, 100)}`;
  const rewind = async (to: Side) => {
    const { undo } = await controls.rewind(entry.id, to);
    toasts.show(`Rewound to ${to} ${name}`, () => controls.rewind(undo));
  };
  return (
    <>
      <div class="bar">
        <Button action={action} run={() => rewind("before")}>
          Rewind to before
        </Button>
        <Button action={action} run={() => rewind("after")}>
          Rewind to after
        </Button>
      </div>
      <Failure of={action} />
    </>
  );
}
