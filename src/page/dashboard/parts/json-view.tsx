import { useState } from "preact/hooks";

/** The longest text that is shown without a click, in UTF-16 units. Colours for a longer one would block the page. */
const MAX_SHOWN = 100_000;

/** Strings with or without a following colon, literals and numbers. */
const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Shows a JSON value, formatted and coloured. Long lines wrap. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value, undefined, 2) ?? "undefined";
  const isCut = text.length > MAX_SHOWN && !isWhole;
  const shown = isCut ? text.slice(0, MAX_SHOWN) : text;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key. */}
      <section class="json" aria-label={label} tabIndex={0}>
        <pre>{text.length > MAX_SHOWN ? shown : coloured(shown)}</pre>
      </section>
      {isCut && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}

/** Returns the parts of a JSON text with a class for each kind of token. */
function coloured(text: string) {
  const parts: (string | preact.JSX.Element)[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon, literal] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const kind = string === undefined ? (literal ? "literal" : "number") : colon ? "name" : "string";
    parts.push(
      <span key={match.index} class={`json-${kind}`}>
        {string ?? whole}
      </span>,
    );
    if (colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}
