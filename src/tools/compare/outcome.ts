/** The claim of a check is false. The message says what was seen instead. */
export class Unmet extends Error {
  override readonly name = "Unmet";
}

/** A check cannot be tried. The message says why. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** Throws Skip unless the precondition is true. `need`: what the check needs, such as "a resource with a key". */
export function needs(isTrue: boolean, need: string): asserts isTrue {
  if (!isTrue) throw new Skip(`needs ${need}`);
}

/** Returns the result, or what `onSkip` makes of the reason of a Skip. */
export async function orSkipped<T, S>(tried: Promise<T>, onSkip: (why: string) => S): Promise<T | S> {
  try {
    return await tried;
  } catch (error) {
    if (error instanceof Skip) return onSkip(error.message);
    throw error;
  }
}
