import { useLayoutEffect } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Loading } from "../parts/loading.tsx";
import { mediaTypeOf } from "./parts-of.ts";
import { canSend, type Draft, draftOf, leftOut, type Pair, send } from "./send.ts";

interface ResendFormProps {
  readonly project: string;
  readonly entry: RequestEntry;
  /** Called with the id of the new request. */
  readonly onSent: (id: string) => void;
  readonly onClose: () => void;
}

/** A dialog to change a request and send it from the browser. The text stays until it is sent or discarded. */
export function ResendForm({ project, entry, onSent, onClose }: ResendFormProps) {
  const controls = useProject(project);
  const settings = useLoaded(
    () => controls.settings.get(),
    () => false,
  );
  return (
    <Dialog title="Edit and resend" kind="wide" onClose={onClose}>
      <Loading of={settings}>
        {({ auth }) => <Form project={project} entry={entry} needsToken={auth === "strict"} onSent={onSent} />}
      </Loading>
    </Dialog>
  );
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

type FormProps = Omit<ResendFormProps, "onClose"> & { readonly needsToken: boolean };

function Form({ project, entry, needsToken, onSent }: FormProps) {
  const controls = useProject(project);
  const action = useAction();
  const [draft, setDraft, isChanged] = useDraft<Draft>(`${project} resend ${entry.id}`, draftOf(entry, needsToken));
  const change = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed });
  useLayoutEffect(() => action.clear, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (action.isInProgress) return;
    let id: string | undefined;
    const isSent = await action.run(async () => {
      id = await send(controls, draft);
      if (id === undefined) throw new Error("The mock did not record the request.");
    }, "Sent");
    if (!isSent || id === undefined) return;
    setDraft(undefined);
    onSent(id);
  };
  const { method, path, query, headers, body, hasNewToken } = draft;
  const choices = methods.includes(method) ? methods : [...methods, method];
  return (
    <form class="request-resend" onSubmit={(event) => void submit(event)}>
      <div class="bar">
        <label>
          Method
          <select value={method} onChange={(event) => change({ method: event.currentTarget.value })}>
            {choices.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="wide">
          Path
          <input
            required
            spellcheck={false}
            value={path}
            onInput={(event) => change({ path: event.currentTarget.value })}
          />
        </label>
      </div>
      <PairFields title="Query" noun="parameter" of={query} onChange={(pairs) => change({ query: pairs })} />
      <PairFields title="Headers" noun="header" of={headers} onChange={(pairs) => change({ headers: pairs })} />
      <Notes entry={entry} headers={headers} />
      <label class="check">
        <input
          type="checkbox"
          checked={hasNewToken}
          onChange={(event) => change({ hasNewToken: event.currentTarget.checked })}
        />
        Send a new token of the project, with all scopes
      </label>
      {typeof body === "object" ? (
        <p>
          The body of {body.bytes.toLocaleString("en")} bytes is sent as it was.{" "}
          <button type="button" onClick={() => change({ body: "" })}>
            Replace with text
          </button>
        </p>
      ) : (
        <label>
          Body
          <textarea
            spellcheck={false}
            rows={Math.min((body ?? "").split("\n").length + 1, 16)}
            value={body ?? ""}
            onInput={(event) => change({ body: event.currentTarget.value })}
          />
        </label>
      )}
      <BodyCheck draft={draft} />
      {entry.request.body?.cut && (
        <p class="notice">The journal keeps only the start of the body, {entry.request.body.bytes} bytes in all.</p>
      )}
      <Failure of={action} />
      <div class="bar end">
        {isChanged && (
          <button type="button" onClick={() => setDraft(undefined)}>
            Discard changes
          </button>
        )}
        <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
          Send
        </button>
      </div>
    </form>
  );
}

/** Says which headers of the request the browser cannot send. */
function Notes({ entry, headers }: { entry: RequestEntry; headers: Draft["headers"] }) {
  const { ofBrowser, redacted } = leftOut(entry);
  const typed = headers.map(([name]) => name).filter((name) => name !== "" && !canSend(name));
  return (
    <>
      {ofBrowser.length > 0 && <p class="quiet">The browser sets these headers itself: {ofBrowser.join(", ")}.</p>}
      {redacted.length > 0 && <p class="quiet">The journal has redacted these headers: {redacted.join(", ")}.</p>}
      {typed.length > 0 && (
        <p class="notice" role="status">
          The browser does not send these headers as written: {typed.join(", ")}. Use Copy as cURL instead.
        </p>
      )}
    </>
  );
}

/** Says that a JSON body is invalid. It can be sent all the same, as the mock must reject it. */
function BodyCheck({ draft: { headers, body } }: { draft: Draft }) {
  if (typeof body !== "string" || body === "" || mediaTypeOf(Object.fromEntries(headers)) !== "application/json") {
    return null;
  }
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return (
      <p class="notice" role="status">
        The body is not valid JSON: {(error as Error).message}
      </p>
    );
  }
}

interface PairFieldsProps {
  readonly title: string;
  readonly noun: string;
  readonly of: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}

/** Fields for names and values, with buttons to add and remove them. */
function PairFields({ title, noun, of, onChange }: PairFieldsProps) {
  const set = (index: number, pair: Pair) => onChange(of.map((each, at) => (at === index ? pair : each)));
  return (
    <fieldset class="request-pair-fields">
      <legend>{title}</legend>
      {of.map(([name, value], index) => (
        <div class="request-pair" key={index}>
          <input
            aria-label={`Name of ${noun} ${index + 1}`}
            spellcheck={false}
            value={name}
            onInput={(event) => set(index, [event.currentTarget.value, value])}
          />
          <input
            aria-label={`Value of ${noun} ${index + 1}`}
            spellcheck={false}
            value={value}
            onInput={(event) => set(index, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            class="quiet icon"
            aria-label={`Remove ${noun} ${index + 1}`}
            onClick={() => onChange(of.filter((_each, at) => at !== index))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...of, ["", ""]])}>
        Add {noun}
      </button>
    </fieldset>
  );
}
