import { ServiceError } from "../contract/service-error.ts";

/** The maximum number of `where` parameters, and of `sort` parameters. */
export const MAX_TEXTS = 100;
/** The maximum length of each parameter, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 10_000;
/** The maximum length of all `where` or all `sort` parameters together, in UTF-16 code units. */
export const MAX_ALL_TEXTS_LENGTH = 32_768;

/** Returns an error for a column of a text; `column` counts UTF-16 code units from 1. */
export type ErrorAt = (column: number, problem: string) => ServiceError;

/**
 * Reads each text of a repeatable query parameter.
 *
 * @throws ServiceError InvalidField with `field` and `column`, if there are too many texts or a text is too long. `read`
 *   creates its errors with `errorAt`. If there are several texts, the message says which one is invalid.
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
    if (index >= MAX_TEXTS)
      throw errorAt(1, `expected at most ${MAX_TEXTS} parameters of this name, found ${texts.length}`);
    if (text.length > MAX_TEXT_LENGTH) {
      throw errorAt(MAX_TEXT_LENGTH + 1, `expected at most ${MAX_TEXT_LENGTH} characters, found ${text.length}`);
    }
    length += text.length;
    if (length > MAX_ALL_TEXTS_LENGTH) {
      throw errorAt(
        1,
        `expected at most ${MAX_ALL_TEXTS_LENGTH} characters in all parameters of this name together, found more`,
      );
    }
    return read(text, errorAt);
  });
}
