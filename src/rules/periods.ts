import { MAX_PERIODS } from "../contract/index.ts";

/** A time in which a scenario was active, by the server's clock in milliseconds. Without `to`, it is still active. */
export interface ScenarioPeriod {
  readonly name: string;
  readonly from: number;
  readonly to?: number;
}

/** Returns the periods after a change of the active scenarios at the time `now`. Drops the oldest periods above the limit. */
export function periodsAfter(
  periods: readonly ScenarioPeriod[],
  before: readonly { readonly name: string }[],
  after: readonly { readonly name: string }[],
  now: number,
): readonly ScenarioPeriod[] {
  const active = new Set(after.map(({ name }) => name));
  const wasActive = new Set(before.map(({ name }) => name));
  const started = after.filter(({ name }) => !wasActive.has(name)).map(({ name }) => ({ name, from: now }));
  const earlier = periods.map((each) =>
    each.to === undefined && !active.has(each.name) ? { ...each, to: now } : each,
  );
  return [...earlier, ...started].slice(-MAX_PERIODS);
}
