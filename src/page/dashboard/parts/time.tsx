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

interface TimeProps {
  /** A date-time (RFC 3339). */
  readonly of: string;
  /** What is shown: the time of day (default), or the date and time with the zone. */
  readonly as?: "time" | "full";
}

/** Shows an instant in the browser's time zone. The title, shown on hover, has the UTC time. */
export function Time({ of, as = "time" }: TimeProps) {
  const instant = new Date(of);
  if (Number.isNaN(instant.getTime())) return <>{of}</>;
  const time = clock.format(instant);
  return (
    <time dateTime={of} title={`${of} (UTC)`}>
      {as === "time" ? time : `${day.format(instant)}, ${time} ${zoneOf(instant)}`}
    </time>
  );
}
