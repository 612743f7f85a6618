/* How texts, JSON, statuses, names and times are shown. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { jsonValue, readJsonText } from "../../../contract/index.ts";
import type { Sentence } from "../../../journal/index.ts";
import { hrefOf } from "../route.ts";

export function counted(count: number, noun = "resource"): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
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
  const facts = of.filter(([, value]) => value !== false && value !== undefined);
  return (
    <dl class={isCode ? "facts mono" : "facts"}>
      {facts.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
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
const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function Code({ text, label, isJson = false }: { text: string; label: string; isJson?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > MAX_SHOWN && !isWhole;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key. */}
      <section aria-label={label} tabIndex={0}>
        <pre>{isCut ? text.slice(0, MAX_SHOWN) : isJson ? coloured(text) : text}</pre>
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

/** Returns the parts of a JSON text with a class for each kind of token. A long text has no colours. */
export function coloured(text: string) {
  if (text.length > MAX_SHOWN) return text;
  const parts: (string | preact.JSX.Element)[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const kind = string === undefined ? "literal" : colon ? "name" : "string";
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

/**
 * Returns why a text is not JSON, where browsers say where it is invalid, or has a number that parsing would change;
 * undefined for other JSON.
 */
export function jsonProblem(text: string): string | undefined {
  const reading = readJsonText(text);
  if ("value" in reading) return undefined;
  const { kind, pointer, message } = reading.refusal;
  if (kind !== "syntax") return `${pointer || "The text"}: ${message}`;
  try {
    JSON.parse(text);
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}`;
  }
}

/** Returns the parsed JSON value. Throws an Error for the user, which begins with `place`. */
export function parsedJson(text: string, place = ""): unknown {
  const problem = jsonProblem(text);
  if (problem !== undefined) throw new Error(place + problem);
  return JSON.parse(text);
}

const valuesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** Returns whether a text is NDJSON: its first line is a value. JSON in lines almost always starts with a part of one. */
export function isLines(text: string): boolean {
  const [first = "", second] = valuesOf(text);
  return second !== undefined && jsonValue(first) !== undefined;
}

/** Returns the values of a JSON text, or of NDJSON: one JSON value in each line. Throws an Error for the user. */
export function parsedLines(text: string): unknown[] {
  if (!isLines(text)) return [parsedJson(text)];
  return valuesOf(text).map((line, index) => parsedJson(line, `Line ${index + 1}: `));
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
export const timeOf = (instant: Date | number): string => clock.format(instant);
export const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
/** The date and the time zone, for instance "1 May 2026, GMT+1". */
export const dayInZone = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZoneName: "short",
});

/** The units of a duration, each with its milliseconds and its sign. */
export const units = [
  ["day", 86_400_000, "d"],
  ["hour", 3_600_000, "h"],
  ["minute", 60_000, "min"],
  ["second", 1000, "s"],
  ["millisecond", 1, "ms"],
] as const;

interface TimeProps {
  /** A date-time (RFC 3339). */
  readonly of: string;
  /** The time of day (default), the date and time with the zone, or the time since then: "3 min". */
  readonly as?: "time" | "full" | "relative";
  /** The current time for a relative one, in milliseconds; see `useNow`. */
  readonly now?: number;
}

/** Shows an instant in the browser's time zone; on hover, the time since then, the whole time and that of UTC. */
export function Time({ of, as = "time", now = Date.now() }: TimeProps) {
  const instant = new Date(of);
  if (Number.isNaN(instant.getTime())) return <>{of}</>;
  const time = timeOf(instant);
  const full = `${time}, ${dayInZone.format(instant)}`;
  const describe = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    currentTarget.title = `${since(instant, Date.now())} ago · ${full} · ${of} (UTC)`;
  };
  return (
    <time dateTime={of} onPointerEnter={describe}>
      {as === "time" ? time : as === "full" ? full : since(instant, now)}
    </time>
  );
}

/** Returns the time since an instant, or the day of an instant more than 30 days ago. */
function since(instant: Date, now: number): string {
  const passed = now - instant.getTime();
  if (passed > 30 * 86_400_000) return day.format(instant);
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
