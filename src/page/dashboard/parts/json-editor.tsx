import { useId, useMemo, useRef } from "preact/hooks";
import { lineOf, locationsOf } from "./json-locations.ts";
import { coloured, jsonProblem } from "./text.tsx";

/** What is wrong with a value of a JSON text. */
export interface JsonProblem {
  /** The JSON pointer of the value. */
  readonly pointer?: string;
  readonly message: string;
}

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** What the mock has found. What is no JSON at all, the editor finds itself. */
  readonly problems?: readonly JsonProblem[];
  /** The fewest lines that are shown. */
  readonly least?: number;
  /** Whether the text is JSON, and not some other text. */
  readonly isJson?: boolean;
  readonly placeholder?: string;
}

/** The most problems that are listed below the text. */
const MAX_LISTED = 8;
/** Each key renders colours and numbers of lines again. A longer text has none. In UTF-16 units. */
const MAX_MARKED = 100_000;

/** A field for JSON: with the numbers of its lines, colours, and the problems at the lines where they are. */
export function JsonEditor(props: EditorProps) {
  const { label, value, onChange, problems = [], least = 6, isJson = true, placeholder } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const found = useMemo(() => (isJson ? placed(value, problems) : []), [value, problems, isJson]);
  const marked = new Set(found.map(({ line }) => line));
  const count = Math.max(least, value.split("\n").length);
  const isLong = value.length > MAX_MARKED;
  return (
    <div class="json-editor">
      <div class="json-text" style={{ "--lines": count }}>
        <ol class="json-lines" aria-hidden="true">
          {Array.from({ length: isLong ? 0 : count }, (_, index) => (
            <li key={index} data-marked={marked.has(index + 1) || undefined} />
          ))}
        </ol>
        <div class="json-layers">
          <pre aria-hidden="true">{isJson && !isLong ? coloured(value) : value} </pre>
          <textarea
            ref={field}
            aria-label={label}
            aria-invalid={found.length > 0 || undefined}
            aria-describedby={found.length > 0 ? id : undefined}
            {...{ value, placeholder }}
            spellcheck={false}
            autocomplete="off"
            wrap="off"
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      </div>
      {found.length > 0 && (
        <div class="failure" id={id} role="alert">
          {found.slice(0, MAX_LISTED).map(({ line, message }, index) => (
            <p key={index}>
              <button type="button" class="quiet" onClick={() => field.current && goToLine(field.current, line)}>
                Line {line}
              </button>{" "}
              {message}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

/** Returns the problems with their lines: the one that keeps the text from being JSON, or those of the mock. */
function placed(text: string, problems: readonly JsonProblem[]) {
  const syntax = text.trim() === "" ? undefined : jsonProblem(text);
  if (syntax !== undefined) {
    const [, pointer] = /^(\/\S*): /.exec(syntax) ?? [];
    const line = pointer === undefined ? Number(/line (\d+)/.exec(syntax)?.[1] ?? 0) : lineOf(text, pointer);
    return [{ line: line || text.split("\n").length, message: syntax }];
  }
  const locations = problems.length > 0 ? locationsOf(text) : undefined;
  return problems.map(({ pointer = "", message }) => ({ line: lineOf(text, pointer, locations), message }));
}

function goToLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const height = field.clientHeight / Math.max(1, lines.length);
  field.closest(".json-text")?.scrollTo({ top: (line - 4) * height });
}

/** Selects the line of a value in an editor within an element. */
export function goToValue(within: Element | null, pointer: string): void {
  const field = within?.querySelector<HTMLTextAreaElement>(".json-editor textarea");
  if (field) goToLine(field, lineOf(field.value, pointer));
}
