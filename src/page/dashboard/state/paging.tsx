import { counted } from "../parts/text.tsx";
import { navigate, type Route, useRoute } from "../route.ts";

/** The number of items in a page. */
export const PAGE = 50;

/** Returns the number of items before the page that the URL names. */
export function offsetOf({ filter }: Route): number {
  const page = Number(filter.page);
  return Number.isInteger(page) && page > 1 && page < 1e6 ? (page - 1) * PAGE : 0;
}

/** Returns the route with other values in its filter. Every change but that of the page leads to the first page. */
export function withFilter(route: Route, change: Readonly<Record<string, string>>): Route {
  return { ...route, filter: { ...route.filter, page: "", ...change } };
}

interface PagerProps {
  /** The number of items on this page, and on all pages. */
  readonly shown: number;
  readonly total: number;
  /** The name of one item. */
  readonly noun: string;
}

/** Says which items the page shows, and leads to the other pages. */
export function Pager({ shown, total, noun }: PagerProps) {
  const route = useRoute();
  const offset = offsetOf(route);
  const step = (title: string, to: number, isPossible: boolean) => (
    <button
      type="button"
      class="quiet"
      aria-disabled={!isPossible || undefined}
      onClick={() => isPossible && navigate(withFilter(route, { page: to < PAGE ? "" : String(to / PAGE + 1) }))}
    >
      {title}
    </button>
  );
  return (
    <p class="bar pager">
      <span class="quiet" role="status">
        {total <= shown || shown === 0
          ? counted(total, noun)
          : `${(offset + 1).toLocaleString("en")}–${(offset + shown).toLocaleString("en")} of ${counted(total, noun)}`}
      </span>
      {total > PAGE && (
        <nav class="bar" aria-label={`Pages of ${noun}s`}>
          {step("Previous", offset - PAGE, offset > 0)}
          {step("Next", offset + PAGE, offset + PAGE < total)}
        </nav>
      )}
    </p>
  );
}
