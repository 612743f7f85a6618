import { distance } from "fastest-levenshtein";
import { MAX_NAME, MAX_SUGGESTIONS } from "../limits.ts";
import { isObject, shown } from "./shown.ts";

/**
 * Returns the candidate with the fewest edits to `word`, or `undefined` if no candidate is similar. Considers at most a
 * thousand candidates of a similar length.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_NAME) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let fewest = Math.max(1, Math.round(word.length / 2.5)) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    // The number of edits is at least the difference of the lengths.
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    if (++compared > MAX_SUGGESTIONS) break;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/**
 * Returns ` Did you mean "x"?`, or an empty string if no candidate is similar.
 *
 * @param prefix text before the suggestion; it is not part of the comparison
 */
export function didYouMean(word: string, candidates: Iterable<string>, prefix = ""): string {
  const best = nearest(word, candidates);
  return best === undefined ? "" : ` Did you mean "${prefix}${best}"?`;
}

/**
 * Returns the message for an unknown name, with the nearest known name or all known names. `noun`: such as "member".
 */
export function unknownName(noun: string, name: string, known: readonly string[]): string {
  const all = known.length > 0 ? ` Known: ${known.join(", ")}.` : ` No ${noun} is allowed here.`;
  return `unknown ${noun}.${didYouMean(name, known) || all}`;
}

/**
 * Throws TypeError if options are not an object, or have an unknown name, which would have no effect. Without `known`, the
 * receiver of the options checks the names.
 */
export function checkOptionNames(caller: string, options: unknown = {}, known?: readonly string[]): void {
  if (!isObject(options)) throw new TypeError(`${caller}: expected an object of options, found ${shown(options)}`);
  const unknown = known && Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${caller}: ${unknown}: ${unknownName("option", unknown, known ?? [])}`);
}
