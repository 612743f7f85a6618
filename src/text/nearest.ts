/** The candidate that is fewest edits away from `word`, when it is near enough to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.round(word.length / 2.5)) + 1;
  if (word.length > 100) return undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * ` Did you mean "x"?`, or nothing when no candidate is near.
 *
 * @param prefix what stands before the word and each candidate; left out of both, as it says nothing of their nearness
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

/** How many insertions, removals and replacements of one character turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substituted));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
