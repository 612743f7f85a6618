import { distance } from "fastest-levenshtein";

/** Returns the candidate that is the fewest edits away from `word`, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(1, Math.round(word.length / 2.5)) + 1;
  if (word.length > 100) return undefined;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
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
