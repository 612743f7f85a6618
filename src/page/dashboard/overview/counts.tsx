import type { Route } from "../route.ts";

/** A part of the contract, the number of its requests, and the filter that finds them. */
export interface Count {
  readonly name: string;
  readonly times: number;
  readonly filter: Route["filter"];
}

/** Returns the URL of the requests with a filter. */
export type RequestsHref = (filter: Route["filter"]) => string;

interface CountsProps {
  readonly counts: readonly Count[];
  readonly requests: RequestsHref;
}

/** Names with the number of requests. A missing one has no link. */
export function Counts({ counts, requests }: CountsProps) {
  return (
    <ul class="counts">
      {counts.map(({ name, times, filter }) => (
        <li key={name}>
          {times > 0 ? (
            <a class="exercised" href={requests(filter)}>
              {name} <span class="number">{times}</span>
            </a>
          ) : (
            <span class="missing">
              {name} <span class="hidden">missing</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Returns the counts, or only the missing ones. */
export function shownCounts(counts: readonly Count[], onlyMissing: boolean): readonly Count[] {
  return onlyMissing ? counts.filter(({ times }) => times === 0) : counts;
}
