import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { jsonValue } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { whyOf } from "../../../journal/index.ts";
import { Picture } from "../parts/files.tsx";
import { Code, Fold, jsonProblem, Status, Words } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import type { BuiltRequest } from "./request.ts";

interface Received {
  readonly response: globalThis.Response;
  /** Undefined until it is complete: an event stream has no end. */
  readonly body?: string | Blob;
  /** The time since the request, in milliseconds. */
  readonly duration: number;
}

interface Exchange {
  readonly received?: Received;
  readonly failure?: string;
  readonly isSending: boolean;
  readonly sent?: BuiltRequest;
}

/** Sends one request at a time. A new request, and another operation, end the one before. */
export function useExchange() {
  const [state, setState] = useState<Exchange>({ isSending: false });
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useLayoutEffect(() => stop, []);

  const start = async (sent: BuiltRequest) => {
    stop();
    const abort = new AbortController();
    running.current = abort;
    const { target, ...request } = sent;
    const begin = performance.now();
    const set = (next: Partial<Exchange>) =>
      running.current === abort && setState((before) => ({ ...before, ...next }));
    const show = (response: globalThis.Response, body?: string | Blob) =>
      set({ received: { response, body, duration: performance.now() - begin } });
    setState({ isSending: true, sent });
    try {
      const options = { signal: abort.signal, cache: "no-store", redirect: "manual" } as const;
      const response = await fetch(target, { ...request, ...options });
      show(response);
      const isImage = response.headers.get("Content-Type")?.startsWith("image/");
      show(response, await (isImage ? response.blob() : response.text()));
    } catch {
      set({ failure: abort.signal.aborted ? "Stopped." : "The connection ended without a complete response." });
    }
    set({ isSending: false });
  };
  return { ...state, start, stop };
}

interface ResponseProps extends Exchange {
  /** What the journal of the project has of the request. */
  readonly entry: RequestEntry | undefined;
  readonly project: string;
}

/** The response to the last request, always beside the form. Its status gets the focus. */
export function Response({ received, failure, isSending, project, entry }: ResponseProps) {
  const status = useRef<HTMLHeadingElement>(null);
  const { response, body, duration = 0 } = received ?? {};
  useLayoutEffect(() => status.current?.focus(), [response]);
  const headers = Array.from(response?.headers ?? [], ([name, value]) => `${name}: ${value}`);
  return (
    <section class="try-response" aria-label="Response">
      {/* Screen readers read the status. The body may be long. */}
      <div role="status">
        {response && (
          <h3 ref={status} tabIndex={-1}>
            <Status of={response.status} /> {response.statusText} <span class="quiet">{Math.round(duration)} ms</span>
          </h3>
        )}
        {failure && <p class="failure">{failure}</p>}
        {!received && !failure && <p class="quiet">{isSending ? "Sending…" : "The response appears here."}</p>}
      </div>
      {entry && (
        <section aria-label="Why">
          <p>
            <Words of={whyOf(project, entry).reason} />
          </p>
          <a href={hrefOf({ project, view: "requests", item: entry.id })}>Open this request</a>
        </section>
      )}
      {body instanceof Blob && <Picture alt="The body of the response" bytes={async () => body} />}
      {body === "" && <p class="quiet">No body.</p>}
      {typeof body === "string" && body !== "" && (
        <Code text={formatted(body)} label="Response body" isJson={/^[[{]/.test(body)} />
      )}
      {response && (
        <Fold title={`${headers.length} headers`}>
          {() => <Code text={headers.join("\n")} label="Response headers" />}
        </Fold>
      )}
    </section>
  );
}

/** Returns JSON with indents. Other texts, and JSON with a number that parsing would change, stay as they are. */
function formatted(text: string): string {
  return jsonProblem(text) === undefined ? JSON.stringify(jsonValue(text), undefined, 2) : text;
}
