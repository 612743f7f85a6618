import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { headerOf } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { useProject } from "../live/session.ts";
import { JsonView } from "../parts/json-view.tsx";
import { type Body, bytesOf, type Headers, mediaTypeOf } from "./parts-of.ts";

interface RequestMessageProps {
  readonly project: string;
  readonly entry: RequestEntry;
}

/** The request as it was sent: path, parameters, headers and body. */
export function RequestMessage({ project, entry }: RequestMessageProps) {
  const { pathParameters, query, headers, body } = entry.request;
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  // The title of the page is the project key.
  const parameters = Object.entries(pathParameters).filter(([name]) => name !== "projectKey");
  return (
    <>
      <Pairs title="Path parameters" of={parameters} />
      <Pairs title="Query" of={pairs} />
      <HeaderList of={headers} />
      {body && (
        <BodyView label="Request body" headers={headers} body={body}>
          {body.cut && isImage(headers) && <StoredImage project={project} entry={entry} />}
        </BodyView>
      )}
    </>
  );
}

interface UpstreamProps {
  readonly upstream: NonNullable<RequestEntry["upstream"]>;
  readonly method: string;
}

/** What was sent to the upstream, and what came back. The bodies are those of the request and the response. */
export function UpstreamMessages({ upstream, method }: UpstreamProps) {
  const { url, ms, request, response, error, recorded } = upstream;
  return (
    <section aria-label="Upstream">
      <h3>Sent to the upstream</h3>
      <p class="request-target">
        {method} {url}
      </p>
      <HeaderList of={request.headers} />
      <h3>
        Received from the upstream{" "}
        {response && (
          <span class="status" data-class={Math.floor(response.status / 100)}>
            {response.status}
          </span>
        )}
      </h3>
      <p class="quiet">
        {`${response ? "after" : "nothing after"} ${ms.toLocaleString("en", { maximumFractionDigits: 1 })} ms`}
        {recorded !== undefined && ` · recorded as ${recorded}`}
      </p>
      {error !== undefined && <p>{error}</p>}
      {response && <HeaderList of={response.headers} />}
    </section>
  );
}

/** The response as it was sent: status, headers and body. */
export function ResponseMessage({ entry: { response, request } }: { entry: RequestEntry }) {
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

function HeaderList({ of }: { of: Headers }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return (
    <details>
      <summary>
        {entries.length} {entries.length === 1 ? "header" : "headers"}
      </summary>
      <Table of={entries} />
    </details>
  );
}

type PairList = readonly (readonly [string, string])[];

function Pairs({ title, of }: { title: string; of: PairList }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Table of={of} />
    </>
  );
}

function Table({ of }: { of: PairList }) {
  return (
    <dl class="facts request-pairs">
      {of.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface BodyViewProps {
  readonly label: string;
  readonly headers: Headers;
  readonly body: Body;
  /** Shown instead of the start of a cut body. */
  readonly children?: ComponentChildren;
}

/** A body: JSON formatted, images as pictures, and everything else as text. */
function BodyView({ label, headers, body, children }: BodyViewProps) {
  const { json, text, base64, cut } = body;
  const type = mediaTypeOf(headers);
  const size = `${body.bytes.toLocaleString("en")} ${body.bytes === 1 ? "byte" : "bytes"}`;
  return (
    <>
      <p class="quiet">
        {[type || "no content type", size].join(", ")}
        {cut && " · The journal keeps only the start of this body."}
      </p>
      {children ||
        (json !== undefined ? (
          <JsonView value={json} label={label} />
        ) : base64 === undefined ? (
          <TextView text={text ?? ""} label={label} />
        ) : isImage(headers) && !cut ? (
          <Picture alt={label} bytes={() => Promise.resolve(new Blob([bytesOf(body)], { type }))} />
        ) : (
          <TextView text={hexOf(bytesOf(body))} label={label} />
        ))}
    </>
  );
}

/** The longest text that is shown without a click, in UTF-16 units. */
const MAX_TEXT = 100_000;

function TextView({ text, label }: { text: string; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MAX_TEXT && !isWhole;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key. */}
      <section class="json" aria-label={label} tabIndex={0}>
        <pre>{isLong ? text.slice(0, MAX_TEXT) : text}</pre>
      </section>
      {isLong && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}

/** The number of bytes that are shown of a body that is neither text nor an image. */
const MAX_HEX = 1024;

/** Returns the first bytes in hexadecimal, 16 in a line. */
function hexOf(bytes: Uint8Array): string {
  const digits = Array.from(bytes.subarray(0, MAX_HEX), (byte) => byte.toString(16).padStart(2, "0"));
  const lines = Array.from({ length: Math.ceil(digits.length / 16) }, (_, line) =>
    digits.slice(line * 16, line * 16 + 16).join(" "),
  );
  return lines.join("\n") + (bytes.length > MAX_HEX ? "\n…" : "");
}

/** Formats that browsers show without running anything. */
function isImage(headers: Headers): boolean {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaTypeOf(headers));
}

/** The uploaded image, which the project keeps whole. */
function StoredImage({ project, entry }: RequestMessageProps) {
  const controls = useProject(project);
  const id = entry.changes.find(({ image }) => image !== undefined)?.image;
  const name = entry.request.query.filename?.[0] ?? headerOf(entry.request.headers, "Content-Type") ?? "";
  if (id === undefined) return <p class="quiet">The image is too large for the journal.</p>;
  return <Picture alt={`Uploaded image ${name}`} bytes={() => controls.images.get(id)} />;
}

/** A picture from bytes that the page has or reads. */
function Picture({ alt, bytes }: { alt: string; bytes: () => Promise<Blob> }) {
  const [state, setState] = useState<{ readonly url?: string; readonly isBroken?: boolean }>({});
  useLayoutEffect(() => {
    let url: string | undefined;
    let isUnmounted = false;
    bytes().then(
      (blob) => {
        if (isUnmounted) return;
        url = URL.createObjectURL(blob);
        setState({ url });
      },
      () => setState({ isBroken: true }),
    );
    return () => {
      isUnmounted = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, []);
  if (state.isBroken) return <p class="quiet">No picture: the project no longer has it, or it is not a valid image.</p>;
  if (state.url === undefined) return null;
  return <img class="request-picture" src={state.url} alt={alt} onError={() => setState({ isBroken: true })} />;
}
