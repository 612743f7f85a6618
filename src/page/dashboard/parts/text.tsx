/* How texts, JSON, statuses, names and times are shown. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { jsonValue, readJsonText } from "../../../contract/index.ts";
import type { Sentence } from "../../../journal/index.ts";
import { hrefOf } from "../route.ts";

export function counted(count: number, noun = "resource"): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}

/** Shows a description. Text between backticks is code, and nothing else is markup. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

export function Words({ of }: { readonly of: Sentence }) {
  return (
    <>
      {of.map((part, index) =>
        typeof part === "string" ? (
          part
        ) : (
          <a key={index} href={hrefOf(part.to)}>
            {part.text}
          </a>
        ),
      )}
    </>
  );
}

/** The status of a response; 0 if the connection broke before the response was complete. */
export function Status({ of }: { readonly of: number }) {
  return (
    <span class="status" data-class={Math.floor(of / 100)}>
      {of || "broken"}
    </span>
  );
}

export function Method({ name }: { readonly name: string }) {
  return <span class={`method ${name.toLowerCase()}`}>{name}</span>;
}

interface FactsProps {
  readonly of: readonly (readonly [name: string, value: ComponentChildren])[];
  readonly isCode?: boolean;
}

/** Names with their values. Leaves out those without a value. */
export function Facts({ of, isCode = false }: FactsProps) {
  return (
    <dl class={isCode ? "facts mono" : "facts"}>
      {of.map(([name, value], index) =>
        value === false || value === undefined ? null : (
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface FoldProps {
  readonly title: ComponentChildren;
  readonly children: () => ComponentChildren;
  /** The accessible name, if the title is not enough. */
  readonly label?: string;
}

/** A part of the page that is closed at first. */
export function Fold({ title, children, label }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label}>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** The longest text that is shown without a click, in UTF-16 units. Colours for a longer one would block the page. */
const MAX_SHOWN = 100_000;

/** Strings with or without a following colon, literals and numbers. */
const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function Code({ text, label, isJson = false }: { text: string; label: string; isJson?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN;
  const isCut = isLong && !isWhole;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key. */}
      <section aria-label={label} tabIndex={0}>
        <pre>{isCut ? text.slice(0, MAX_SHOWN) : isJson && !isLong ? coloured(text) : text}</pre>
      </section>
      {isCut && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}

export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Code text={JSON.stringify(value, undefined, 2) ?? "undefined"} label={label} isJson />;
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

/** Returns why a text is not JSON or has a number that parsing would change, for the user; undefined for other JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    parsedJson(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Returns the parsed JSON value. Throws an Error for the user: browsers say where the text is invalid, and a number that
 * parsing would change has the message of the mock.
 */
export function parsedJson(text: string): unknown {
  const reading = readJsonText(text);
  if ("value" in reading) return reading.value;
  const { kind, pointer, message } = reading.refusal;
  if (kind !== "syntax") throw new Error(`${pointer || "The text"}: ${message}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${(error as Error).message}`);
  }
}

/** Returns the values of a JSON text, or of NDJSON: one JSON value in each line. Throws an Error for the user. */
export function parsedLines(text: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // The first line of NDJSON is a value. JSON over several lines almost always starts with an incomplete line.
  if (lines.length < 2 || jsonValue(lines[0] ?? "") === undefined) return [parsedJson(text)];
  return lines.map((line, index) => {
    try {
      return parsedJson(line);
    } catch (error) {
      throw new Error(`Line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
export const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" });

/** Returns the name of the browser's time zone at this instant, for instance "GMT+1". */
export function zoneOf(instant: Date): string {
  return zone.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** The units of a duration, each with its milliseconds and its sign. */
export const units = [
  ["day", 86_400_000, "d"],
  ["hour", 3_600_000, "h"],
  ["minute", 60_000, "min"],
  ["second", 1000, "s"],
  ["millisecond", 1, "ms"],
] as const;

/** Returns a duration in its largest unit, rounded down to this number of decimals: "1.5 hours", "200 milliseconds". */
export function inUnits(milliseconds: number, digits = 0): string {
  const [name, size] = units.find(([, each]) => milliseconds >= each) ?? ["millisecond", 1];
  const factor = 10 ** digits;
  return counted(Math.floor((milliseconds / size) * factor) / factor, name);
}

interface TimeProps {
  /** A date-time (RFC 3339). */
  readonly of: string;
  /** The time of day (default), the date and time with the zone, or the time since then: "3 min". */
  readonly as?: "time" | "full" | "relative";
  /** The current time for a relative one, in milliseconds; see `useNow`. */
  readonly now?: number;
}

/** Shows an instant in the browser's time zone. The title, shown on hover, has the whole time and that of UTC. */
export function Time({ of, as = "time", now = Date.now() }: TimeProps) {
  const instant = new Date(of);
  if (Number.isNaN(instant.getTime())) return <>{of}</>;
  const time = clock.format(instant);
  const full = `${day.format(instant)}, ${time} ${zoneOf(instant)}`;
  return (
    <time dateTime={of} title={as === "full" ? `${of} (UTC)` : `${full} · ${of} (UTC)`}>
      {as === "time" ? time : as === "full" ? full : since(instant, now)}
    </time>
  );
}

function since(instant: Date, now: number): string {
  const passed = now - instant.getTime();
  const [, size, sign] = units.find(([, each]) => passed >= each && each >= 1000) ?? [];
  return size === undefined ? "now" : `${Math.floor(passed / size)} ${sign}`;
}

/** Returns the current time in milliseconds, and renders again every `period` milliseconds, for relative times. */
export function useNow(period = 5000): number {
  const [now, setNow] = useState(Date.now());
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, []);
  // A row that is newer than the last interval is not in the future.
  return Math.max(now, Date.now() - period);
}
