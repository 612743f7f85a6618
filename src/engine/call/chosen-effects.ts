import type { Choice, ChosenEffect } from "../../rules/index.ts";

/** The response that the Prefer header of the request selects. */
export interface PreferredStub {
  readonly status: number;
  /** The variant of the fixture. */
  readonly example?: string;
  /** Set for a generated response; without a seed, the project chooses one. */
  readonly dynamic?: { readonly seed: string | undefined };
}

/** All effects on a call: of rules, scenarios and the Prefer header. */
export interface ChosenEffects {
  /** In the order in which they take place. */
  chosen: readonly ChosenEffect[];
  /** Returns the next effect by precedence that ends the request, after a function has passed the request on. */
  readonly passOn?: Choice["passOn"];
  readonly preferred?: PreferredStub;
  /** The applied preferences, as the value of `Preference-Applied`. */
  readonly applied?: string;
}

/** No effects, as for most calls. */
export const noEffects: ChosenEffects = Object.freeze({ chosen: [] });
