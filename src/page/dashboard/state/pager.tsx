import { navigate, type Route } from "../route.ts";
import { offsetOf, PAGE, withFilter } from "./filter.ts";

interface PagerProps {
  readonly route: Route;
  /** The number of items on this page, and on all pages. */
  readonly shown: number;
  readonly total: number;
  /** The name of one item. */
  readonly noun: string;
}

/** Says which items the page shows, and leads to the other pages. */
export function Pager({ route, shown, total, noun }: PagerProps) {
  const offset = offsetOf(route);
  const page = offset / PAGE + 1;
  const isLast = offset + PAGE >= total;
  const open = (to: number) => navigate(withFilter(route, { page: to === 1 ? "" : String(to) }));
  const count = total.toLocaleString("en");
  const nouns = total === 1 ? noun : `${noun}s`;
  return (
    <p class="bar pager">
      <span class="quiet" role="status">
        {total <= shown || shown === 0
          ? `${count} ${nouns}`
          : `${(offset + 1).toLocaleString("en")}–${(offset + shown).toLocaleString("en")} of ${count} ${nouns}`}
      </span>
      {total > PAGE && (
        <nav class="bar" aria-label={`Pages of ${noun}s`}>
          <button type="button" aria-disabled={page === 1 || undefined} onClick={() => page > 1 && open(page - 1)}>
            Previous
          </button>
          <button type="button" aria-disabled={isLast || undefined} onClick={() => !isLast && open(page + 1)}>
            Next
          </button>
        </nav>
      )}
    </p>
  );
}
