/** The length from which V8 shares memory. It copies shorter parts of a text. */
const SHORTEST_PART = 13;

/**
 * Returns a copy of a text. In V8, a long part of a text (an id in a URL) keeps the whole text in memory; the copy does
 * not.
 */
export function detached(text: string): string {
  return text.length < SHORTEST_PART ? text : (JSON.parse(JSON.stringify(text)) as string);
}
