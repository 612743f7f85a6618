import { distance } from "fastest-levenshtein";

/** Longer words have no suggestion: it would hardly be a typing error. In UTF-16 units, as all lengths here. */
const MAX_WORD = 100;

/** A word is compared with so many candidates of a similar length, so that the work does not grow with their number. */
const MAX_COMPARED = 1000;

/**
 * Returns the candidate that is the fewest edits away from `word`, if it is near enough to be what was meant. Among
 * more than a thousand candidates of a similar length, the later ones are not considered.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let fewest = Math.max(1, Math.round(word.length / 2.5)) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    // The lengths differ by no more than the number of edits.
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    if (++compared > MAX_COMPARED) break;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/**
 * Returns ` Did you mean "x"?`, or nothing if no candidate is near.
 *
 * @param prefix text before the word and each candidate; it does not count for their distance
 */
export function didYouMean(word: string, candidates: Iterable<string>, prefix = ""): string {
  const best = nearest(word, candidates);
  return best === undefined ? "" : ` Did you mean "${prefix}${best}"?`;
}

/** What is wrong with a name that is none of those that are known where it stands: the one that was meant, or all. */
export function unknownName(name: string, known: readonly string[]): string {
  const all = known.length > 0 ? ` Known: ${known.join(", ")}.` : " There are none here.";
  return `is not known here.${didYouMean(name, known) || all}`;
}
