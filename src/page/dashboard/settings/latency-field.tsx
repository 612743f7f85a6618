import type { Settings } from "../../../control/client/index.ts";
import type { SetSettings } from "./setting.tsx";
import { type Kinds, StructuredField } from "./structured-field.tsx";

type Latency = Settings["latency"];

const kinds: Kinds<Latency> = {
  none: { title: "None", fields: [], value: () => null },
  fixed: {
    title: "Fixed",
    fields: [{ name: "fixed", title: "Milliseconds", step: "any" }],
    value: ([fixed = 0]) => ({ fixed }),
  },
  uniform: {
    title: "Uniform",
    fields: [
      { name: "from", title: "From (ms)", step: "any" },
      { name: "to", title: "To (ms)", step: "any" },
    ],
    value: ([from = 0, to = 0]) => ({ uniform: [from, to] }),
  },
  lognormal: {
    title: "Lognormal",
    fields: [
      { name: "median", title: "Median (ms)", step: "any" },
      { name: "sigma", title: "Sigma", step: "any" },
    ],
    value: ([median = 0, sigma = 0]) => ({ lognormal: { median, sigma } }),
  },
};

const initial = { fixed: "200", from: "50", to: "200", median: "100", sigma: "0.5" };

function parts(value: Latency): [kind: string, ...numbers: number[]] {
  if (value === null) return ["none"];
  if ("fixed" in value) return ["fixed", value.fixed];
  if ("uniform" in value) return ["uniform", ...value.uniform];
  return ["lognormal", value.lognormal.median, value.lognormal.sigma];
}

interface LatencyFieldProps {
  readonly project: string;
  readonly value: Latency;
  readonly set: SetSettings;
}

/** The delay of responses. */
export function LatencyField(props: LatencyFieldProps) {
  return <StructuredField {...props} name="latency" kinds={kinds} parts={parts} initial={initial} />;
}
