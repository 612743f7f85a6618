import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ApiOperation, bodyExample, isText, LINES_TYPE, type ParameterObject } from "./document.ts";
import { type Received, send } from "./exchange.ts";
import { PreferField } from "./prefer-field.tsx";
import { type BuiltRequest, curlOf, type Draft, initialDraft, requestOf } from "./request.ts";
import { useSession } from "./session.ts";
import { filledIn, StoredResource } from "./stored-resource.tsx";
import { Code } from "./text.tsx";
import { TokenField } from "./token-field.tsx";

type OperationProps = { readonly operation: ApiOperation };

/** The form of an operation. It sends a request to the mock that serves the page, and shows the response. */
export function TryIt({ operation }: OperationProps) {
  const session = useSession();
  const key = `${operation.api}/${operation.id}` as const;
  const [draft, setDraft] = useState(() => session.drafts.get(key) ?? initialDraft(operation));
  const { received, failure, isSending, start, stop } = useExchange();
  /** The project of the last request. The form may name another one by now. */
  const [sentTo, setSentTo] = useState<string>();

  const change = (changes: Partial<Draft>) => {
    const next = { ...draft, ...changes };
    session.drafts.set(key, next);
    setDraft(next);
  };
  const values: Draft["values"] = {
    ...draft.values,
    ...(session.projectKey !== undefined && { projectKey: session.projectKey }),
  };
  const changeValue = (name: string, value: string) => {
    if (name === "projectKey") session.setProjectKey?.(value);
    else change({ values: { ...draft.values, [name]: value } });
  };
  const token = operation.api === "control" ? session.adminToken : session.token;
  const built = attempt(() => requestOf(operation, { ...draft, values }, token));

  const submit = (event: Event) => {
    event.preventDefault();
    if ("error" in built) return;
    setSentTo(operation.api === "service" ? projectOf(built.value, values.projectKey) : undefined);
    void start(built.value);
  };
  return (
    <section class="try" aria-labelledby="try-it">
      <h2 id="try-it">Try it</h2>
      <form onSubmit={submit}>
        {operation.parameters
          .filter(({ name }) => name !== "projectKey" || session.setProjectKey)
          .map((parameter) => (
            <Field
              key={parameter.name}
              parameter={parameter}
              value={values[parameter.name] ?? ""}
              onChange={(value) => changeValue(parameter.name, value)}
            />
          ))}
        {operation.api === "service" && (
          <>
            <StoredResource
              operation={operation}
              projectKey={values.projectKey ?? ""}
              onChoose={(resource) => change(filledIn(operation, draft, resource))}
            />
            <TokenField operation={operation} projectKey={values.projectKey ?? ""} />
            <PreferField operation={operation} value={draft.prefer} onChange={(prefer) => change({ prefer })} />
          </>
        )}
        <label>
          Headers
          <textarea
            rows={2}
            value={draft.headers}
            placeholder="Name: value"
            onInput={(event) => change({ headers: event.currentTarget.value })}
          />
        </label>
        {operation.body && <BodyField operation={operation} draft={draft} onChange={change} />}
        {"error" in built && (
          <p class="failure" role="alert">
            {built.error}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={"error" in built}>
            Send
          </button>
          {isSending && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
        </div>
      </form>
      {!("error" in built) && (
        <details>
          <summary>Show as cURL</summary>
          <Code text={curlOf(built.value, location.origin)} label="The request as cURL" />
        </details>
      )}
      {/* Screen readers read the status. The body may be long. */}
      <div role="status">
        {received && (
          <h3>
            Response: {received.status} {received.statusText}
          </h3>
        )}
        {failure && <p class="failure">{failure}</p>}
      </div>
      {received && <Response received={received} projectKey={sentTo} />}
    </section>
  );
}

/** Returns the key of the project whose journal records a request: a header can select a sandbox of the project. */
function projectOf({ headers }: BuiltRequest, projectKey: string | undefined): string | undefined {
  const sent = new Headers(headers);
  const sandbox = sent.get("Mock-Sandbox");
  if (sandbox !== null) return `${projectKey}~${sandbox}`;
  return sent.get("baggage")?.includes("mock-sandbox") ? undefined : projectKey;
}

function attempt<T>(action: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: action() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Sends one request at a time. A new request, and another operation, end the one before. */
function useExchange() {
  const [received, setReceived] = useState<Received>();
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useLayoutEffect(() => stop, []);
  useLayoutEffect(() => {
    const image = received?.image;
    return () => image && URL.revokeObjectURL(image);
  }, [received?.image]);

  const start = async (request: BuiltRequest) => {
    stop();
    const abort = new AbortController();
    running.current = abort;
    const unlessStopped = (action: () => void) => running.current === abort && action();
    setReceived(undefined);
    setFailure(undefined);
    setSending(true);
    try {
      await send(request, abort.signal, (next) => unlessStopped(() => setReceived(next)));
    } catch {
      const reason = abort.signal.aborted ? "Stopped." : "The connection ended without a complete response.";
      unlessStopped(() => setFailure(reason));
    } finally {
      unlessStopped(() => setSending(false));
    }
  };
  return { received, failure, isSending, start, stop };
}

interface FieldProps {
  readonly parameter: ParameterObject;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for a parameter: a choice for fixed values, lines for a list, and otherwise a line of text. */
function Field({ parameter: { name, in: place, required, schema, content }, value, onChange }: FieldProps) {
  const id = useId();
  const choices = schema?.type === "boolean" ? ["true", "false"] : schema?.enum?.map(String);
  const hint = content
    ? "JSON"
    : schema?.type === "array"
      ? "one per line"
      : schema?.patternProperties && "name=value, one per line";
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  const isLines = schema?.type === "array" || schema?.patternProperties !== undefined;
  return (
    <label for={id}>
      <span>
        <code>{name}</code>
        <span class="quiet">
          {" "}
          {place}
          {hint && `, ${hint}`}
        </span>
      </span>
      {choices ? (
        <select id={id} value={value} onChange={change} required={required}>
          <option value="">not sent</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isLines ? (
        <textarea id={id} rows={2} value={value} onInput={change} />
      ) : (
        <input id={id} value={value} onInput={change} required={required} autocomplete="off" spellcheck={false} />
      )}
    </label>
  );
}

interface BodyFieldProps extends OperationProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

function BodyField({ operation, draft, onChange }: BodyFieldProps) {
  const types = Object.keys(operation.body?.content ?? {});
  const hasLines = draft.mediaType === LINES_TYPE;
  const file = (
    <label>
      {hasLines ? "File instead of the text" : "File"}
      <input type="file" accept={types.join(",")} onChange={(event) => choose(event.currentTarget.files?.[0])} />
    </label>
  );
  if (!isText(draft.mediaType)) {
    return (
      <>
        <label>
          Content type
          <select value={draft.mediaType} onChange={(event) => onChange({ mediaType: event.currentTarget.value })}>
            {types.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        {file}
      </>
    );
  }
  const texts = hasLines ? draft.body.trimEnd().split("\n") : [draft.body];
  const problem = draft.body === "" ? undefined : texts.map(jsonProblem).find((each) => each !== undefined);
  return (
    <div class="field wide">
      <label>
        <span>
          Body
          <span class="quiet">
            {hasLines ? " JSON, one value in each line" : " JSON"}
            {operation.body?.isRequired ? "" : ", optional"}
          </span>
        </span>
        <textarea
          rows={Math.min(16, Math.max(3, draft.body.split("\n").length))}
          value={draft.body}
          spellcheck={false}
          onInput={(event) => onChange({ body: event.currentTarget.value })}
        />
      </label>
      {problem && <p class="quiet">Invalid JSON: {problem}. The mock responds with an error.</p>}
      <button type="button" onClick={() => onChange({ body: bodyExample(operation) })}>
        Insert the example
      </button>
      {hasLines && file}
    </div>
  );

  function choose(file: File | undefined) {
    onChange({ file, ...(file && types.includes(file.type) && { mediaType: file.type }) });
  }
}

function jsonProblem(text: string): string | undefined {
  const parsed = attempt(() => JSON.parse(text));
  return "error" in parsed ? parsed.error : undefined;
}

interface ReceivedProps {
  readonly received: Received;
  /** The project whose journal has the request. */
  readonly projectKey: string | undefined;
}

function Response({ received, projectKey }: ReceivedProps) {
  const { headers, text, image, isCut, isOpen } = received;
  const { renderEntry } = useSession();
  // Responses of the control API have no id.
  const id = new Map(headers).get("mock-request-id");
  const entry = id !== undefined && projectKey !== undefined ? { id, projectKey } : undefined;
  return (
    <>
      {entry && !renderEntry && (
        <p>
          <a
            href={`/__admin/ui#/projects/${encodeURIComponent(entry.projectKey)}/requests/${encodeURIComponent(entry.id)}`}
          >
            Show the decisions behind this response
          </a>
        </p>
      )}
      {entry && renderEntry?.(entry.projectKey, entry.id)}
      {image && <img src={image} alt="The body of the response" />}
      {text !== "" && <Code text={text} label="Response body" />}
      {text === "" && !image && !isOpen && <p class="quiet">No body.</p>}
      {isCut && <p class="quiet">The body is longer. The page shows its first 256 KiB.</p>}
      <details>
        <summary>Headers of the response</summary>
        <Code text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} label="Response headers" />
      </details>
    </>
  );
}
