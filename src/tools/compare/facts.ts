import { differencesIn, expectedText, type SeenValue } from "../../contract/index.ts";
import type { Secrets } from "./credentials.ts";

/** A check cannot be tried. The message says why. */
export class Skip extends Error {
  override readonly name = "Skip";
}

export function needs(isTrue: boolean, need: string): asserts isTrue {
  if (!isTrue) throw new Skip(`needs ${need}`);
}

/** Whether a claim is true, and what was seen, without secrets. */
export interface Fact {
  readonly isTrue: boolean;
  readonly seen: string;
}

const SHOWN_DIFFERENCES = 3;

/** Returns whether all values are the expected ones. Names those that differ, or else all. */
export function factOf(values: readonly SeenValue[], { redact, shown }: Secrets): Fact {
  const wrong = values.flatMap(differencesIn);
  const shownValues = (wrong.length > 0 ? wrong : values).slice(0, SHOWN_DIFFERENCES);
  const texts = shownValues.map(([place, found, expected]) => {
    const seen = `${redact(place) || "the body"} is ${shown(found)}`;
    return wrong.length > 0 ? `${seen}, expected ${redact(expectedText(expected, shown))}` : seen;
  });
  const more = wrong.length > SHOWN_DIFFERENCES ? ` (and ${wrong.length - SHOWN_DIFFERENCES} more)` : "";
  return { isTrue: wrong.length === 0, seen: texts.join(", ") + more };
}
