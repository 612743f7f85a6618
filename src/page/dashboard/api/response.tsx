import { useLayoutEffect, useRef } from "preact/hooks";
import { whyOf } from "../../../journal/index.ts";
import { useLoaded, useProject } from "../live/session.ts";
import { isNotFound, Loading } from "../parts/action.tsx";
import { Code, Fold, jsonIn, Status, Words } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import type { BuiltRequest } from "./request.ts";

interface ResponseProps {
  readonly received?: Received;
  readonly failure?: string;
  readonly isSending: boolean;
  /** The project whose journal has the request. */
  readonly project?: string;
}

/** The response to the last request, always beside the form. Its status gets the focus. */
export function Response({ received, failure, isSending, project }: ResponseProps) {
  const status = useRef<HTMLHeadingElement>(null);
  const hasStatus = received !== undefined;
  useLayoutEffect(() => {
    if (hasStatus) status.current?.focus();
  }, [hasStatus]);
  // Responses of the control API have no id.
  const id = received && new Map(received.headers).get("mock-request-id");
  return (
    <section class="try-response" aria-label="Response">
      {/* Screen readers read the status. The body may be long. */}
      <div role="status">
        {received && (
          <h3 ref={status} tabIndex={-1}>
            <Status of={received.status} /> {received.statusText}{" "}
            <span class="quiet">{Math.round(received.duration)} ms</span>
          </h3>
        )}
        {failure && <p class="failure">{failure}</p>}
        {!received && !failure && (
          <p class="quiet placeholder">{isSending ? "Sending…" : "The response appears here."}</p>
        )}
      </div>
      {project !== undefined && id !== undefined && id !== "none" && <Why key={id} project={project} id={id} />}
      {received && <Content received={received} />}
    </section>
  );
}

function Content({ received: { headers, text, image, isCut, isOpen } }: { readonly received: Received }) {
  return (
    <>
      {image && <img src={image} alt="The body of the response" />}
      {text !== "" && <Code text={text} label="Response body" />}
      {text === "" && !image && !isOpen && <p class="quiet">No body.</p>}
      {isCut && <p class="quiet">The body is longer. The page shows its first 256 KiB.</p>}
      <Fold title={`${headers.length} headers`}>
        {() => <Code text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} label="Response headers" />}
      </Fold>
    </>
  );
}

function Why({ project, id }: { readonly project: string; readonly id: string }) {
  const { requests } = useProject(project);
  const entry = useLoaded(() => requests.get(id));
  // A header or the URL can select another project or a sandbox. Ids are unique.
  if (isNotFound(entry.error)) return null;
  return (
    <section class="notice calm" aria-label="Why">
      <Loading of={entry} lines={2}>
        {(found) => (
          <p>
            <Words of={whyOf(project, found).reason} />
          </p>
        )}
      </Loading>
      <a href={hrefOf({ project, view: "requests", item: id })}>Open this request</a>
    </section>
  );
}

/** The amount of text that the page shows of a response, in bytes. A longer text would block the page. */
const MAX_SHOWN = 256 * 1024;

/** The response to a request, as far as it has arrived. */
export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly image?: string;
  readonly isCut: boolean;
  readonly isOpen: boolean;
  readonly duration: number;
}

/**
 * Sends a request to the mock, and calls `onChange` as the response arrives: an event stream arrives in parts. Rejects if
 * there is no complete response, or if the signal aborts.
 */
export async function send(
  { target, method, headers, body }: BuiltRequest,
  signal: AbortSignal,
  onChange: (received: Received) => void,
): Promise<void> {
  const start = performance.now();
  const response = await fetch(target, { method, headers, body, signal, cache: "no-store", redirect: "manual" });
  const { status, statusText } = response;
  const head = { status, statusText, headers: [...response.headers], isCut: false };
  const show = (part: Pick<Received, "text" | "isOpen"> & Partial<Received>) =>
    onChange({ ...head, duration: performance.now() - start, ...part });
  const type = response.headers.get("Content-Type") ?? "";
  if (/^image\/(jpeg|png|gif)/.test(type)) {
    show({ text: "", image: URL.createObjectURL(await response.blob()), isOpen: false });
    return;
  }
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  show({ text, isOpen: true });
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    text += decoder.decode(value, { stream: true });
    if (size > MAX_SHOWN) {
      await reader.cancel();
      show({ text: text.slice(0, MAX_SHOWN), isCut: true, isOpen: false });
      return;
    }
    show({ text, isOpen: true });
  }
  show({ text: formatted(text, type), isOpen: false });
}

/** Returns JSON with indents, and other text as it is. Also leaves JSON as it is if parsing would change a number. */
function formatted(text: string, type: string): string {
  if (!/[/+]json\b/.test(type) || /\d{16}/.test(text)) return text;
  const value = jsonIn(text);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}
