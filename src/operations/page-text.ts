import type { PagedQueryResult } from "../contract/schemas.ts";
import { ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";

/** The maximum length of a page: UTF-16 code units in the JSON text of its results. */
const MAX_PAGE = 32 * 1024 * 1024;

/** Longer pages are written one after the other, as each is in memory as a whole until it is sent. */
const LONG_PAGE = 1024 * 1024;

/** Resolves when the latest long page is written. */
let lastLong: Promise<unknown> = Promise.resolve();

/** Returns a page as JSON. Writes a long page in time slices. Throws InsufficientStorage if the page is too long. */
export async function pageText({ results, ...envelope }: PagedQueryResult): Promise<string> {
  let length = 0;
  const texts: string[] = [];
  for (const result of results) {
    const text = JSON.stringify(result);
    length += text.length;
    if (length > LONG_PAGE) {
      const written = lastLong.then(() => longText(envelope, results));
      lastLong = written.catch(() => {});
      return written;
    }
    texts.push(text);
  }
  return textOf(envelope, texts);
}

async function longText(envelope: object, results: PagedQueryResult["results"]): Promise<string> {
  const slice = new TimeSlice();
  let length = 0;
  const texts: string[] = [];
  for (const result of results) {
    if (slice.isOver) await slice.next();
    const text = JSON.stringify(result);
    length += text.length;
    if (length > MAX_PAGE) throw tooLong(texts.length, results.length);
    texts.push(text);
  }
  if (slice.isOver) await slice.next();
  return textOf(envelope, texts);
}

function textOf(envelope: object, results: readonly string[]): string {
  return `${JSON.stringify(envelope).slice(0, -1)},"results":[${results.join(",")}]}`;
}

function tooLong(fitting: number, found: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `The page: expected at most ${MAX_PAGE} characters of JSON, found more in ${found} results. The first ${fitting} results fit: send limit=${fitting}.`,
  });
}
