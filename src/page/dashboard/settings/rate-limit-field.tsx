import type { Settings } from "../../../control/client/index.ts";
import type { SetSettings } from "./setting.tsx";
import { type Kinds, StructuredField } from "./structured-field.tsx";

type RateLimit = Settings["rateLimit"];

const kinds: Kinds<RateLimit> = {
  none: { title: "No limit", fields: [], value: () => null },
  limited: {
    title: "Limited",
    fields: [
      { name: "limit", title: "Requests" },
      { name: "window", title: "in milliseconds" },
    ],
    value: ([limit = 0, window = 0]) => ({ limit, window }),
  },
};

const initial = { limit: "10", window: "1000" };

function parts(value: RateLimit): [kind: string, ...numbers: number[]] {
  return value === null ? ["none"] : ["limited", value.limit, value.window];
}

interface RateLimitFieldProps {
  readonly project: string;
  readonly value: RateLimit;
  readonly set: SetSettings;
}

/** The number of requests that the project accepts per time. */
export function RateLimitField(props: RateLimitFieldProps) {
  return <StructuredField {...props} name="rateLimit" kinds={kinds} parts={parts} initial={initial} />;
}
