/** The kinds of `Mock-Source`: the part before the colon, or all of it. */
export const sourceKinds = [
  "state",
  "fixture",
  "scenario",
  "rule",
  "function",
  "generated",
  "upstream",
  "error",
  "defect",
] as const;
export type SourceKind = (typeof sourceKinds)[number];
