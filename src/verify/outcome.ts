/** The claim of a check is false. The message says what was seen instead. */
export class Unmet extends Error {
  override readonly name = "Unmet";
}

/** A check cannot be tried. The message says why. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** Throws Unmet unless the claim is true. */
export function claim(isTrue: boolean, seen: string): asserts isTrue {
  if (!isTrue) throw new Unmet(seen);
}

/** Throws Skip unless the precondition is true. `need`: what the check needs, such as "a resource with a key". */
export function needs(isTrue: boolean, need: string): asserts isTrue {
  if (!isTrue) throw new Skip(`needs ${need}`);
}
