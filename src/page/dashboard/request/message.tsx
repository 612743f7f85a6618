import type { ComponentChildren } from "preact";
import { headerOf } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { useProject } from "../live/session.ts";
import { Picture } from "../parts/files.tsx";
import { Code, counted, Facts, Fold, JsonView, Status } from "../parts/text.tsx";
import { type Body, bytesOf, type Headers, mediaTypeOf } from "./copies.ts";

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

interface UpstreamProps {
  readonly upstream: NonNullable<RequestEntry["upstream"]>;
  readonly method: string;
}

/** What was sent to the upstream, and what came back. The bodies are those of the request and the response. */
function UpstreamMessages({ upstream, method }: UpstreamProps) {
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
  const id = changes.find(({ image }) => image !== undefined)?.image;
  const name = request.query.filename?.[0] ?? headerOf(request.headers, "Content-Type") ?? "";
  if (id === undefined) return <p class="quiet">The image is too large for the journal.</p>;
  return <Picture alt={`Uploaded image ${name}`} bytes={() => controls.images.get(id)} />;
}
