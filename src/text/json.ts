/** Whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the text in these bytes, if they are UTF-8. With `cut`, a character may be incomplete at the end. */
export function utf8(bytes: Uint8Array, cut = false): string | undefined {
  try {
    const decoder = cut ? new TextDecoder("utf-8", { fatal: true }) : strictUtf8;
    return decoder.decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

/** The JSON value in a text, boxed as any value is possible; `undefined` if the text is not JSON or nested too deep. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Longer texts are not searched for the position of a syntax error. In UTF-16 units. */
const MAX_LOCATED = 1024 * 1024;

/**
 * Says why a text is not JSON, with line and column: `Unexpected token ']' (line 1, column 4)`. V8 gives no position for
 * a token where a value should begin; jsonc-parser, loaded here, finds it.
 */
export async function jsonProblem(text: string): Promise<string> {
  const message = syntaxError(text);
  const [, located, line, column] =
    /^(.*?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/s.exec(message) ?? [];
  if (located !== undefined) return `${located} (line ${line}, column ${column})`;
  const problem = message.replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, "");
  if (text.length > MAX_LOCATED) return problem;
  const { visit } = await import("jsonc-parser");
  let place = "";
  visit(
    text,
    {
      onError(_code, _offset, _length, startLine, startCharacter) {
        place ||= ` (line ${startLine + 1}, column ${startCharacter + 1})`;
      },
    },
    { disallowComments: true },
  );
  return problem + place;
}

function syntaxError(text: string): string {
  try {
    JSON.parse(text);
    return `The text is nested deeper than ${MAX_JSON_DEPTH} levels`;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** JSON nested deeper than this is refused: nothing in the interface is, and walking it could exhaust the stack. */
export const MAX_JSON_DEPTH = 200;

/** Whether a text that may be JSON is nested deeper than `MAX_JSON_DEPTH`; told without parsing it. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === 0x5c /* \ */) index++;
      else if (unit === 0x22 /* " */) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x5b /* [ */ || unit === 0x7b /* { */) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (unit === 0x5d /* ] */ || unit === 0x7d /* } */) depth--;
  }
  return false;
}

/** The JSON pointer of a member of what `pointer` points to. */
export function join(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
