import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { control, path } from "../../../control/client/index.ts";
import { useSession } from "../live/session.ts";
import { useUndoable } from "../live/undo.ts";
import { Failure, messageOf, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { useConfirm } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { type ApiOperation, bodyExample, LINES_TYPE, type ParameterObject } from "./document.ts";
import { type Received, send } from "./exchange.ts";
import {
  type BuiltRequest,
  curlOf,
  type Draft,
  hasTextBody,
  initialDraft,
  type Recorded,
  requestOf,
  targetOf,
} from "./request.ts";
import { Response } from "./response.tsx";
import { filledIn, StoredResource } from "./stored-resource.tsx";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

interface TryProps {
  readonly operation: ApiOperation;
  /** The project of the page. Without it, the form has a field for the key. */
  readonly project: string | undefined;
  /** A recorded request that fills in the form. */
  readonly recorded?: Recorded & { readonly id: string };
  /** What the contract says of the operation, below the form. */
  readonly children: ComponentChildren;
}

/** The form of an operation, and the response beside it. It sends a request to the mock that serves the page. */
export function Try({ operation, project, recorded, children }: TryProps) {
  const { client } = useSession();
  const isService = operation.api === "service";
  const name = `${project ?? ""} api ${recorded?.id ?? `${operation.api} ${operation.id}`}`;
  const [draft, setDraft, isChanged] = useDraft(name, recorded?.draft ?? initialDraft(operation));
  const [anyProject, setAnyProject] = useDraft("api project", draft.values.projectKey ?? "");
  const projectKey = project ?? anyProject;
  const [token, setToken] = useDraft(`${projectKey} api token`, "");
  const form = useRef<HTMLFormElement>(null);
  const guarded = useGuard(projectKey);
  const { start, stop, ...exchange } = useExchange();

  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const values: Draft["values"] = { ...draft.values, projectKey };
  const adminToken = useSession().connection.adminToken ?? "";
  const filled = { ...draft, values };
  const built = attempt(() => requestOf(operation, filled, isService ? token : adminToken));
  const target = draft.target ?? attempt(() => targetOf(operation, values)).value ?? "";

  useLayoutEffect(() => {
    if (recorded?.neededToken)
      void client
        .project(projectKey)
        .token()
        .then(({ access_token }) => setToken(access_token));
  }, [recorded?.id]);
  const submit = (event?: Event) => {
    event?.preventDefault();
    const { value } = built;
    if (value) void guarded(operation, () => start(value, isService ? projectKey : undefined));
  };
  return (
    <form
      ref={form}
      class="try"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
      }}
    >
      <div class="bar try-line">
        {recorded || operation.path === "" ? (
          <select
            aria-label="Method"
            value={draft.method ?? operation.method}
            onChange={(event) => change({ method: event.currentTarget.value })}
          >
            {[...new Set([...methods, draft.method ?? operation.method])].map((method) => (
              <option key={method}>{method}</option>
            ))}
          </select>
        ) : (
          <span class={`method ${operation.method.toLowerCase()}`}>{operation.method}</span>
        )}
        <input
          class="mono"
          aria-label="URL"
          spellcheck={false}
          value={target}
          onInput={(event) => change({ target: event.currentTarget.value })}
        />
        <button type="submit" class="primary" title="Ctrl+Enter" disabled={built.error !== undefined}>
          Send
        </button>
        {exchange.isSending && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </div>
      {built.error !== undefined && (
        <p class="failure" role="alert">
          {built.error}
        </p>
      )}
      <div class="try-columns">
        <div>
          <div class="try-fields">
            {operation.parameters
              .filter(({ name }) => name !== "projectKey" || project === undefined)
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
                <TokenField project={projectKey} token={token} setToken={setToken} />
                <Prefer operation={operation} value={draft.prefer} onChange={(prefer) => change({ prefer })} />
              </>
            )}
            <label>
              Headers
              <textarea
                class="mono"
                rows={Math.max(1, draft.headers.split("\n").length)}
                value={draft.headers}
                placeholder="Name: value"
                onInput={(event) => change({ headers: event.currentTarget.value })}
              />
            </label>
          </div>
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
            {isChanged && (
              <button type="button" class="quiet" onClick={() => setDraft(undefined)}>
                Discard changes
              </button>
            )}
          </div>
          {children}
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
  const confirm = useConfirm();
  const keep = useUndoable();
  return async ({ api, id, summary }: ApiOperation, run: () => Promise<unknown>) => {
    if (api === "control" && id === "resetAll") {
      if (await confirm({ question: "Reset every project to its initial state?", yes: "Reset all projects" }))
        await run();
    } else if (api === "control" && undoable.has(id)) await keep(project, run, `Sent: ${summary}`);
    else await run();
  };
}

function attempt<T>(action: () => T): { readonly value?: T; readonly error?: string } {
  try {
    return { value: action() };
  } catch (error) {
    return { error: messageOf(error) };
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
    setState({ isSending: true, project: project && projectOf(request, project) });
    try {
      await send(request, abort.signal, (received) => set({ received }));
    } catch {
      set({ failure: abort.signal.aborted ? "Stopped." : "The connection ended without a complete response." });
    }
    set({ isSending: false });
  };
  return { ...state, start, stop };
}

/** Returns the key of the project whose journal records a request: a header can select a sandbox of the project. */
function projectOf({ headers }: BuiltRequest, project: string): string | undefined {
  const sent = new Headers(headers);
  const sandbox = sent.get("Mock-Sandbox");
  if (sandbox !== null) return `${project}~${sandbox}`;
  return sent.get("baggage")?.includes("mock-sandbox") ? undefined : project;
}

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for a parameter: a choice for fixed values, lines for a list, and otherwise a line of text. */
function Parameter({ parameter, value, onChange }: FieldProps & { readonly parameter: ParameterObject }) {
  const { name, in: place, required, schema, content } = parameter;
  const id = useId();
  const choices = schema?.type === "boolean" ? ["true", "false"] : schema?.enum?.map(String);
  const isLines = schema?.type === "array" || schema?.patternProperties !== undefined;
  const hint = content ? "JSON" : schema?.patternProperties ? "name=value, one per line" : isLines && "one per line";
  const field = { id, value, required };
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  return (
    <label for={id}>
      <span>
        <code>{name}</code> <span class="quiet">{[place, hint].filter(Boolean).join(", ")}</span>
      </span>
      {choices ? (
        <select {...field} onChange={change}>
          <option value="">not sent</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isLines ? (
        <textarea {...field} rows={2} onInput={change} />
      ) : (
        <input {...field} onInput={change} autocomplete="off" spellcheck={false} />
      )}
    </label>
  );
}

interface TokenFieldProps {
  readonly project: string;
  readonly token: string;
  readonly setToken: (token: string) => void;
}

/** The bearer token of the service, with a button that issues one for the project. */
function TokenField({ project, token, setToken }: TokenFieldProps) {
  const { client } = useSession();
  const action = useAction();
  const issue = () => action.run(async () => setToken((await client.project(project).token()).access_token));
  return (
    <div>
      <label>
        <span>
          Bearer token <span class="quiet">needed if the setting auth is strict</span>
        </span>
        <input
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <button type="button" class="quiet" onClick={() => void issue()} disabled={project === ""}>
        Issue a token
      </button>
      <Failure of={action} />
    </div>
  );
}

/** The header `Prefer`, with the values that the operation and the mock know. */
function Prefer({ operation: { responses }, value, onChange }: FieldProps & { readonly operation: ApiOperation }) {
  const { connection } = useSession();
  const [scenarios, setScenarios] = useState<readonly string[]>();
  const id = useId();
  const load = async () => {
    if (scenarios) return;
    const known = await control<{ scenarios: { name: string }[] }>(connection, {
      method: "GET",
      path: path`/scenarios`,
    });
    setScenarios(known.scenarios.map(({ name }) => `scenario=${name}`));
  };
  const examples = responses.flatMap(([, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples).filter((name) => name !== "default")),
  );
  const choices = [
    ...responses.map(([status]) => `code=${status}`),
    ...[...new Set(examples)].map((name) => `example=${name}`),
    "dynamic=true, seed=1",
    ...(scenarios ?? []),
  ];
  return (
    <label>
      <span>
        Prefer <span class="quiet">selects another response</span>
      </span>
      <input
        list={id}
        value={value}
        placeholder="code=503"
        onFocus={() => void load().catch(() => {})}
        onInput={(event) => onChange(event.currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
      <datalist id={id}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </label>
  );
}

interface BodyFieldProps {
  readonly operation: ApiOperation;
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

function BodyField({ operation, draft, onChange }: BodyFieldProps) {
  const { body, file, mediaType } = draft;
  const types = Object.keys(operation.body?.content ?? {});
  const hasLines = mediaType === LINES_TYPE;
  const choose = (chosen: File | undefined) =>
    onChange({ file: chosen, ...(chosen && types.includes(chosen.type) && { mediaType: chosen.type }) });
  const chooser = (
    <label>
      {hasLines ? "File instead of the text" : "File"}
      <input type="file" accept={types.join(",")} onChange={(event) => choose(event.currentTarget.files?.[0])} />
    </label>
  );
  const typeField = types.length > 1 && (
    <label>
      Content type
      <select
        value={mediaType}
        onChange={({ currentTarget: { value } }) => onChange({ mediaType: value, body: bodyExample(operation, value) })}
      >
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </label>
  );
  if (!hasTextBody(draft)) {
    return (
      <div class="try-fields">
        {typeField}
        {file && !(file instanceof File) && <p>The recorded body of {file.size.toLocaleString("en")} bytes is sent.</p>}
        {chooser}
      </div>
    );
  }
  const isJson = /json/.test(mediaType);
  const texts = hasLines ? body.trimEnd().split("\n") : [body];
  const problem = body === "" || !isJson ? undefined : texts.map(jsonProblem).find((each) => each !== undefined);
  return (
    <div class="try-fields">
      {typeField}
      <label>
        <span>
          Body <span class="quiet">{hasLines ? "JSON, one value in each line" : isJson ? "JSON" : mediaType}</span>
        </span>
        <textarea
          class="mono"
          rows={Math.min(16, Math.max(3, body.split("\n").length))}
          value={body}
          spellcheck={false}
          onInput={(event) => onChange({ body: event.currentTarget.value })}
        />
      </label>
      {problem && <p class="quiet">Invalid JSON: {problem}. The mock responds with an error.</p>}
      <div class="bar">
        {types.length > 0 && (
          <button type="button" class="quiet" onClick={() => onChange({ body: bodyExample(operation, mediaType) })}>
            Insert the example
          </button>
        )}
        {hasLines && chooser}
      </div>
    </div>
  );
}

function jsonProblem(text: string): string | undefined {
  return attempt(() => JSON.parse(text)).error;
}
