import { ServiceError } from "../contract/service-error.ts";

/** How often `where` or `sort` may be passed, and how many characters each text and all of them may hold. */
export const MAX_TEXTS = 100;
export const MAX_TEXT_LENGTH = 10_000;
export const MAX_ALL_TEXTS_LENGTH = 32_768;

/** Makes the error of one place in a text; `column` counts UTF-16 code units from 1. */
export type ErrorAt = (column: number, problem: string) => ServiceError;

/**
 * Reads each text of a repeatable query parameter.
 *
 * @throws ServiceError InvalidField with `field` and `column`: too many texts, texts that are too long, and what `read` throws
 *   by its `errorAt`. Where several texts were passed, the message says which one it is about.
 */
export function readTexts<T>(
  parameter: "where" | "sort",
  texts: readonly string[],
  read: (text: string, errorAt: ErrorAt) => T,
): T[] {
  let length = 0;
  return texts.map((text, index) => {
    const place = texts.length === 1 ? parameter : `${parameter} ${index + 1} of ${texts.length}`;
    const errorAt: ErrorAt = (column, problem) => {
      const message = `${place}: column ${column}: ${problem}`;
      return new ServiceError({ code: "InvalidField", message, field: parameter, column });
    };
    if (index >= MAX_TEXTS) throw errorAt(1, `expected at most ${MAX_TEXTS} texts, found ${texts.length}`);
    if (text.length > MAX_TEXT_LENGTH) {
      throw errorAt(MAX_TEXT_LENGTH + 1, `expected at most ${MAX_TEXT_LENGTH} characters, found ${text.length}`);
    }
    length += text.length;
    if (length > MAX_ALL_TEXTS_LENGTH) {
      throw errorAt(1, `expected at most ${MAX_ALL_TEXTS_LENGTH} characters in all texts together, found more`);
    }
    return read(text, errorAt);
  });
}
