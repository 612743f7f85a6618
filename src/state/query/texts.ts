import { MAX_QUERY_TEXT, ServiceError } from "../../contract/index.ts";

/** Returns an error for a column of a text; `column` counts UTF-16 code units from 1. */
export type ErrorAt = (column: number, problem: string) => ServiceError;

/**
 * Reads each text of a repeatable query parameter.
 *
 * @throws ServiceError InvalidField with `field` and `column`, if the texts are too long. `read` creates its errors with `errorAt`. If there are several texts, the message says which one is invalid.
 */
export function readTexts<T>(
  parameter: "where" | "sort",
  texts: readonly string[],
  read: (text: string, errorAt: ErrorAt) => T,
): T[] {
  let length = 0;
  return texts.map((text, index) => {
    const location = texts.length === 1 ? parameter : `${parameter} ${index + 1} of ${texts.length}`;
    const errorAt: ErrorAt = (column, problem) => {
      const message = `${location}: column ${column}: ${problem}`;
      return new ServiceError({ code: "InvalidField", message, field: parameter, column });
    };
    length += text.length;
    if (length > MAX_QUERY_TEXT) {
      const where = texts.length === 1 ? "" : " in all parameters of this name together";
      throw errorAt(1, `expected at most ${MAX_QUERY_TEXT} characters${where}, found more`);
    }
    return read(text, errorAt);
  });
}
