import type { PagedQueryResult } from "../contract/schemas.ts";
import { ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";

/** The longest page, in UTF-16 units of its JSON text. */
const MAX_PAGE = 64 * 1024 * 1024;

/** Returns a page as JSON; large results are written in slices of time. Throws InsufficientStorage when it is too long. */
export async function pageText({ results, ...envelope }: PagedQueryResult): Promise<string> {
  const slice = new TimeSlice();
  const texts: string[] = [];
  let length = 0;
  for (const result of results) {
    if (slice.isOver) await slice.next();
    const text = JSON.stringify(result);
    length += text.length + 1;
    if (length > MAX_PAGE) throw tooLong(texts.length, results.length);
    texts.push(text);
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"results":[${texts.join(",")}]}`;
}

function tooLong(fitting: number, found: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `The page: expected at most ${MAX_PAGE} characters of JSON, found more in ${found} results. The first ${fitting} fit: ask for limit=${fitting}.`,
  });
}
