/** Whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON value in a text. Throws a SyntaxError that ends with the line and the column. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const what = message.replace(pieceOfText, "").replace(/( in JSON)? at position .*$/, "");
    throw new SyntaxError(`${what} (${lineAndColumn(text, positionIn(text, message))})`);
  }
}

/** Where JSON.parse has stopped, by what it says. */
function positionIn(text: string, message: string): number {
  if (message.startsWith(UNEXPECTED_TOKEN)) return unexpectedToken(text, message);
  if (message.startsWith("Unexpected end")) return text.length;
  // A text such as "[object Object]" is refused as a whole, without a position.
  return Number(/ at position (\d+)/.exec(message)?.[1] ?? 0);
}

const UNEXPECTED_TOKEN = "Unexpected token ";
const pieceOfText = /, (\.\.\.)?"(.*)"(\.\.\.)? is not valid JSON$/s;

/**
 * V8 gives no position of a token that begins no value, but a piece of the text: from the text's beginning, or, behind
 * three dots, from ten characters before the token. The same piece may stand at several places: the first that parsing
 * stops at is meant, and what comes before it parses to its own end.
 */
function unexpectedToken(text: string, message: string): number {
  const [, dots, piece = ""] = pieceOfText.exec(message) ?? [];
  const before = dots ? 10 : 0;
  let low = text.indexOf(piece) + before;
  let high = dots ? text.lastIndexOf(piece) + before + 1 : piece.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (stopsAtToken(text.slice(0, middle))) high = middle;
    else low = middle;
  }
  return low;
}

function stopsAtToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as SyntaxError).message.startsWith(UNEXPECTED_TOKEN);
  }
}

function lineAndColumn(text: string, position: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < position; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${position - start + 1}`;
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
