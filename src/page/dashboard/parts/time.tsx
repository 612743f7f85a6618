import { useLayoutEffect, useState } from "preact/hooks";
import { counted } from "./text.tsx";

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" });

/** Returns the name of the browser's time zone at this instant, for instance "GMT+1". */
export function zoneOf(instant: Date): string {
  return zone.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** The units of a duration, each with its milliseconds and its sign. */
const units = [
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

/** Returns the current time in milliseconds, and renders again every few seconds, for relative times. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5000);
    return () => clearInterval(timer);
  }, []);
  // A row that is newer than the last interval is not in the future.
  return Math.max(now, Date.now() - 5000);
}
