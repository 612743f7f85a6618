import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useProject, useSession } from "../live/session.ts";
import { Failure, PlainButton, useUndoable } from "../parts/action.tsx";
import { SelectField, TextArea, TextField, useDraft } from "../parts/fields.tsx";
import { CopyButton } from "../parts/files.tsx";
import { Method } from "../parts/text.tsx";
import type { ApiOperation } from "./document.ts";
import { type BuiltRequest, curlOf, type Draft, type draftOf, initialDraft, requestOf, targetOf } from "./request.ts";
import { type Received, Response, send } from "./response.tsx";
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
          {operation.body && <BodyField operation={operation} draft={draft} onChange={change} />}
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

/** Calls that remove or replace data of the project in their path. */
const undoable = new Set(
  [
    "closeProject resetProject restoreArchive replaceState rewind clearNamespaceAction removeResource removeImage",
    "deleteSnapshot restoreSnapshot clearRules removeRule turnOff clearRequests rewindRequest",
  ].flatMap((ids) => ids.split(" ")),
);

/** Returns a function that sends a request: after a question if it concerns all projects, and with an undo if one can. */
function useGuard(project: string) {
  const keep = useUndoable();
  return async ({ api, id, summary }: ApiOperation, run: () => Promise<unknown>) => {
    if (api === "control" && undoable.has(id)) await keep(project, run, `Sent: ${summary}`);
    else if (id !== "resetAll" || confirm("Reset every project to its initial state? This cannot be undone."))
      await run();
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
