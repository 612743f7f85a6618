import type { RequestEntry } from "../../../control/client/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, PlainButton, unlessNotFound } from "../parts/action.tsx";
import { TextArea, useDraft } from "../parts/fields.tsx";
import { Method } from "../parts/text.tsx";
import { type ApiOperation, accessOf } from "./document.ts";
import { type Draft, draftOf, initialDraft, missingIn, requestOf, targetOf } from "./request.ts";
import { Response, useExchange } from "./response.tsx";
import { BodyField, Parameters } from "./try-fields.tsx";

/** The key of requests without a project; see the addresses of the mock. */
const NO_PROJECT = "default";

interface TryProps {
  readonly operation: ApiOperation;
  /** The parameter of paths that is the project. */
  readonly projectParameter: string | undefined;
  readonly recorded: RequestEntry | undefined;
}

/** The form of an operation, and the response beside it. It sends a request to the mock that serves the page. */
export function Try({ operation, projectParameter, recorded }: TryProps) {
  const { project: key = NO_PROJECT, connection } = useSession();
  const isService = operation.api === "service";
  const name = `${key} api ${recorded?.id ?? `${operation.api} ${operation.id}`}`;
  const [draft, setDraft, isChanged] = useDraft(
    name,
    recorded ? draftOf(operation, recorded) : initialDraft(operation),
  );
  const controls = useProject(key);
  const { start, stop, ...exchange } = useExchange();
  // Responses of the control API have no id. A header or the URL can select another project or a sandbox.
  const sentId = (isService && exchange.received?.response.headers.get("Mock-Request-Id")) || "none";
  const entry = useLoaded(
    async () => (sentId === "none" ? undefined : controls.requests.get(sentId).catch(unlessNotFound)),
    [],
    [sentId],
  );

  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const base = isService && projectParameter === undefined ? `/${encodeURIComponent(key)}` : "";
  const { adminToken } = connection;
  const admin = !isService && adminToken !== undefined ? { Authorization: `Bearer ${adminToken}` } : {};
  const filled = { ...draft, values: { ...draft.values, [`path ${projectParameter}`]: key } };
  const built = attempt(() => requestOf(operation, filled, base, admin));
  const target = draft.target ?? attempt(() => targetOf(operation, filled, base)).value ?? "";
  const missing = draft.target === undefined ? missingIn(operation, filled) : [];
  const canSend = built.error === undefined && missing.length === 0;
  const violations = (built.value?.body === exchange.sent?.body && entry.value?.violations) || [];
  const problems = violations.flatMap(({ field, message }) =>
    field?.startsWith("/") ? [{ pointer: field, message }] : [],
  );
  const issueToken = async () => {
    const { access_token: token } = await controls.token();
    const others = draft.headers.split("\n").filter((line) => line !== "" && !/^authorization:/i.test(line));
    change({ headers: [...others, `Authorization: Bearer ${token}`].join("\n") });
  };
  const shared = { operation, draft, onChange: change };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (built.value && canSend) void start(built.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      <div class="bar">
        <Method name={draft.method ?? operation.method} />
        <input
          class="mono"
          aria-label="URL"
          spellcheck={false}
          value={target}
          onInput={(event) => change({ target: event.currentTarget.value })}
        />
        <button type="submit" class="primary" title="Ctrl+Enter" disabled={!canSend}>
          Send
        </button>
        {exchange.isSending && <PlainButton onClick={stop}>Stop</PlainButton>}
      </div>
      <Failure of={built} />
      {missing.length > 0 && (
        <p class="quiet" role="status">
          Fill in {missing.join(", ")} to send the request.
        </p>
      )}
      <div class="try-columns">
        <div class="fields">
          <Parameters {...{ ...shared, hidden: projectParameter }} />
          {operation.requestBody && <BodyField {...{ ...shared, problems }} />}
          <TextArea
            {...{ label: "Headers", rows: [1, 12], placeholder: "Name: value", value: draft.headers }}
            hint={isService ? "Prefer: code=503 selects another response" : undefined}
            onChange={(headers) => change({ headers })}
          />
          {recorded?.request.body?.cut && <p class="notice">The journal keeps only the start of the body.</p>}
          <div class="bar">
            {isService && / bearer token/.test(accessOf(operation)) && <Button run={issueToken}>Issue a token</Button>}
            {isChanged && <PlainButton onClick={() => setDraft(undefined)}>Discard changes</PlainButton>}
          </div>
        </div>
        <Response {...exchange} entry={entry.value} project={key} />
      </div>
    </form>
  );
}

function attempt<T>(action: () => T): { readonly value?: T; readonly error?: unknown } {
  try {
    return { value: action() };
  } catch (error) {
    return { error };
  }
}
