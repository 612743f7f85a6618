import { useState } from "preact/hooks";
import { Button } from "../parts/action.tsx";
import { differencesOf } from "../parts/differences.ts";
import { parsedJson } from "../parts/json-text.ts";
import { brief } from "./columns.ts";
import type { Editing, Stored } from "./editing.ts";

interface OutdatedProps {
  /** The noun in the text, such as "resource". */
  readonly noun: string;
  readonly editing: Editing;
  /** The stored value; undefined if it was deleted. */
  readonly stored: Stored | undefined;
  /** Writes the text of the user over the stored value. */
  readonly overwrite: () => Promise<unknown>;
  /** Called after the user has decided: this component, which had the focus, then disappears. */
  readonly onDone: () => void;
}

/** Says that another client has changed the value that the user edits, and lets the user compare and decide. */
export function Outdated({ noun, editing, stored, overwrite, onDone }: OutdatedProps) {
  const [isCompared, setCompared] = useState(false);
  return (
    <section class="notice outdated" aria-label="Changed meanwhile">
      <p role="status">
        {stored
          ? `Another client has changed this ${noun} meanwhile. Your text is not saved.`
          : `Another client has deleted this ${noun} meanwhile. Your text is not saved.`}
      </p>
      <div class="bar">
        {stored && (
          <button type="button" aria-expanded={isCompared} onClick={() => setCompared(!isCompared)}>
            Compare
          </button>
        )}
        <Button run={() => overwrite().then(onDone)}>{stored ? "Overwrite" : "Create again"}</Button>
        <button
          type="button"
          onClick={() => {
            editing.discard();
            onDone();
          }}
        >
          Discard my text
        </button>
      </div>
      {isCompared && stored && <Comparison editing={editing} stored={stored} />}
    </section>
  );
}

/** The members in which the stored value, the text of the user and the value that it began with differ. */
function Comparison({ editing: { text, base }, stored }: { editing: Editing; stored: Stored }) {
  let yours: unknown;
  try {
    yours = parsedJson(text);
  } catch (error) {
    return <p>Your text cannot be compared. {(error as Error).message}</p>;
  }
  const rows = new Map<string, { before?: unknown; stored: unknown; yours: unknown }>();
  for (const { pointer, before, after } of differencesOf(stored.value, yours)) {
    rows.set(pointer, { stored: before, yours: after });
  }
  for (const { pointer, before } of differencesOf(base?.value, stored.value)) {
    const row = rows.get(pointer);
    if (row) row.before = before;
  }
  if (rows.size === 0) return <p>Your text equals the stored value.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key.
    <section class="comparison" aria-label="Differences" tabIndex={0}>
      <dl>
        {Array.from(rows, ([pointer, row]) => (
          <div key={pointer}>
            <dt>{pointer === "" ? "The whole value" : pointer}</dt>
            {row.before !== undefined && <Side name="Before" value={row.before} />}
            <Side name="Stored now" value={row.stored} />
            <Side name="Yours" value={row.yours} />
          </div>
        ))}
      </dl>
    </section>
  );
}

function Side({ name, value }: { name: string; value: unknown }) {
  return (
    <dd>
      <span class="quiet">{name}</span>
      <code>
        {value === undefined ? "absent" : typeof value === "string" ? JSON.stringify(brief(value)) : brief(value)}
      </code>
    </dd>
  );
}
