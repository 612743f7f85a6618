import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { jsonValue } from "../../../contract/index.ts";
import { whyOf } from "../../../journal/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { confirmResetAll, Failure, isNotFound, Loading, PlainButton, useUndoable } from "../parts/action.tsx";
import { SelectField, TextArea, TextField, useDraft } from "../parts/fields.tsx";
import { CopyButton } from "../parts/files.tsx";
import { Code, Fold, Method, Status, Words } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import type { ApiOperation } from "./document.ts";
import { type BuiltRequest, curlOf, type Draft, type draftOf, initialDraft, requestOf, targetOf } from "./request.ts";
import { BodyField, filledIn, Parameter, Prefer, StoredResource, TokenField } from "./try-fields.tsx";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

interface TryProps {
  readonly operation: ApiOperation;
  readonly recorded?: ReturnType<typeof draftOf> & { readonly id: string };
  /** What the contract says of the operation, below the form. */
  readonly children: ComponentChildren;
}

/** The form of an operation, and the response beside it. It sends a request to the mock that serves the page. */
export function Try({ operation, recorded, children }: TryProps) {
  const { project, connection } = useSession();
  const isService = operation.api === "service";
  const name = `${project ?? ""} api ${recorded?.id ?? `${operation.api} ${operation.id}`}`;
  const [draft, setDraft, isChanged] = useDraft(name, recorded?.draft ?? initialDraft(operation));
  // Without a project, the form has a field for the key.
  const [anyProject, setAnyProject] = useDraft("api project", draft.values.projectKey ?? "");
  const projectKey = project ?? anyProject;
  const controls = useProject(projectKey);
  const [token, setToken] = useDraft(`${projectKey} api token`, "");
  const form = useRef<HTMLFormElement>(null);
  const guarded = useGuard(projectKey);
  const { start, stop, ...exchange } = useExchange();

  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const values: Draft["values"] = { ...draft.values, projectKey };
  const sentToken = isService ? token : (connection.adminToken ?? "");
  const built = attempt(() => requestOf(operation, { ...draft, values }, sentToken));
  const target = draft.target ?? attempt(() => targetOf(operation, values)).value ?? "";
  const method = draft.method ?? operation.method;

  useLayoutEffect(() => {
    if (recorded?.neededToken) void controls.token().then(({ access_token }) => setToken(access_token));
  }, [recorded?.id]);
  return (
    <form
      ref={form}
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        const { value } = built;
        if (value) void guarded(operation, () => start(value, isService ? projectKey : undefined));
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
      }}
    >
      <div class="bar try-line">
        {recorded || operation.path === "" ? (
          <SelectField
            label="Method"
            isBare
            value={method}
            options={[...new Set([...methods, method])]}
            onChange={(chosen) => change({ method: chosen })}
          />
        ) : (
          <Method name={operation.method} />
        )}
        <TextField label="URL" isBare value={target} onChange={(typed) => change({ target: typed })} />
        <button type="submit" class="primary" title="Ctrl+Enter" disabled={built.error !== undefined}>
          Send
        </button>
        {exchange.isSending && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </div>
      <Failure of={built} />
      <div class="try-columns">
        <div class="fields">
          {operation.parameters
            .filter((parameter) => parameter.name !== "projectKey" || project === undefined)
            .map((parameter) => (
              <Parameter
                key={parameter.name}
                parameter={parameter}
                value={values[parameter.name] ?? ""}
                onChange={(value) => {
                  if (parameter.name === "projectKey") setAnyProject(value);
                  else change({ values: { ...draft.values, [parameter.name]: value }, target: undefined });
                }}
              />
            ))}
          {isService && (
            <>
              <StoredResource
                operation={operation}
                project={projectKey}
                onChoose={(resource) => change(filledIn(operation, draft, resource))}
              />
              <TokenField project={projectKey} value={token} onChange={setToken} />
              <Prefer operation={operation} value={draft.prefer} onChange={(prefer) => change({ prefer })} />
            </>
          )}
          <TextArea
            label="Headers"
            rows={[1, 12]}
            value={draft.headers}
            placeholder="Name: value"
            onChange={(headers) => change({ headers })}
          />
          {recorded && recorded.leftOut.length > 0 && (
            <p class="quiet">
              Not sent again, as browsers set them or the journal redacts them: {recorded.leftOut.join(", ")}.
            </p>
          )}
          {recorded?.isCut && <p class="notice">The journal keeps only the start of the body.</p>}
          {operation.requestBody && <BodyField operation={operation} draft={draft} onChange={change} />}
          <div class="bar">
            {built.value && (
              <CopyButton text={() => curlOf(built.value as BuiltRequest, location.origin)}>Copy as cURL</CopyButton>
            )}
            {isChanged && <PlainButton onClick={() => setDraft(undefined)}>Discard changes</PlainButton>}
          </div>
          <div>{children}</div>
        </div>
        <Response {...exchange} />
      </div>
    </form>
  );
}

/** Calls that replace data of the project in their path. */
const replacing = new Set("resetProject restoreArchive replaceState rewind restoreSnapshot rewindRequest".split(" "));

/** Returns whether an archive from before undoes a call. A revoked token stays revoked. */
function isUndoable({ api, id, method, path }: ApiOperation): boolean {
  const removes = method === "DELETE" && path.includes("{projectKey}") && id !== "revokeToken";
  return api === "control" && (removes || replacing.has(id));
}

/** Returns a function that sends a request: after a question if it concerns all projects, and with an undo if one can. */
function useGuard(project: string) {
  const keep = useUndoable();
  return async (operation: ApiOperation, run: () => Promise<unknown>) => {
    if (isUndoable(operation)) await keep(project, run, `Sent: ${operation.summary}`);
    else if (operation.id !== "resetAll" || confirmResetAll()) await run();
  };
}

function attempt<T>(action: () => T): { readonly value?: T; readonly error?: unknown } {
  try {
    return { value: action() };
  } catch (error) {
    return { error };
  }
}

/** Sends one request at a time. A new request, and another operation, end the one before. */
function useExchange() {
  const [state, setState] = useState<{ received?: Received; failure?: string; isSending: boolean; project?: string }>({
    isSending: false,
  });
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useLayoutEffect(() => stop, []);
  const image = state.received?.image;
  useLayoutEffect(() => () => image && URL.revokeObjectURL(image), [image]);

  const start = async (request: BuiltRequest, project: string | undefined) => {
    stop();
    const abort = new AbortController();
    running.current = abort;
    const set = (next: Partial<typeof state>) =>
      running.current === abort && setState((before) => ({ ...before, ...next }));
    setState({ isSending: true, project });
    try {
      await send(request, abort.signal, (received) => set({ received }));
    } catch {
      set({ failure: abort.signal.aborted ? "Stopped." : "The connection ended without a complete response." });
    }
    set({ isSending: false });
  };
  return { ...state, start, stop };
}

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
  const value = jsonValue(text);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}
