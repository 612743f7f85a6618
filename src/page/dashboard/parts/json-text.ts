/** Returns the parsed JSON value. Throws an Error for the user; browsers say where the text is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${(error as Error).message}`);
  }
}

/** Returns the values of a JSON text, or of NDJSON: one JSON value in each line. Throws an Error for the user. */
export function parsedLines(text: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // The first line of NDJSON is a value. JSON over several lines almost always starts with an incomplete line.
  if (lines.length < 2 || !isJson(lines[0])) return [parsedJson(text)];
  return lines.map((line, index) => {
    try {
      return parsedJson(line);
    } catch (error) {
      throw new Error(`Line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

function isJson(text = ""): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
