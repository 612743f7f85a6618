import { MAX_LIST_TEXT, ServiceError } from "../../contract/index.ts";
import { type ResourcePage, resourceText } from "../../state/index.ts";

/** Returns a page as JSON. Throws InsufficientStorage if the page is too long. */
export function pageText({ selected, ...envelope }: ResourcePage): string {
  const results: string[] = [];
  let length = 0;
  for (const record of selected) {
    const text = resourceText(record);
    length += text.length;
    if (length > MAX_LIST_TEXT) throw tooLong(results.length, selected.length);
    results.push(text);
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"results":[${results.join(",")}]}`;
}

function tooLong(fitting: number, found: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `The page: expected at most ${MAX_LIST_TEXT} characters of JSON, found more in ${found} results. The first ${fitting} results fit: send limit=${fitting}.`,
  });
}
