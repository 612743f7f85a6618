import {
  closedObject,
  type FromSchema,
  MAX_BODY_BYTES,
  MAX_DELAY_MS,
  MAX_IMAGE_BYTES,
  MAX_JOURNAL_SIZE,
  MAX_JSON_BYTES,
  MAX_TIMES,
  type Schema,
} from "../contract/index.ts";

/** The delay of a response, in milliseconds. */
const Milliseconds = { type: "number", minimum: 0, maximum: MAX_DELAY_MS } as const satisfies Schema;

const Range = { type: "array", items: Milliseconds, minItems: 2, maxItems: 2 } as const satisfies Schema;
const Lognormal = closedObject(["median", "sigma"], {
  median: Milliseconds,
  sigma: { type: "number", minimum: 0, maximum: 10 },
});

export const Latency = {
  description: "Delay of each response, in milliseconds. null: no delay.",
  examples: [{ fixed: 200 }, { uniform: [50, 200] }, { lognormal: { median: 100, sigma: 0.5 } }],
  anyOf: [
    { type: "null" },
    closedObject(["fixed"], { fixed: Milliseconds }),
    closedObject(["uniform"], { uniform: Range }),
    closedObject(["lognormal"], { lognormal: Lognormal }),
  ],
} as const satisfies Schema;
export type Latency = FromSchema<typeof Latency>;

/** The number of requests in a window of a rate limit, and the length of the window in milliseconds. */
const Times = { type: "integer", minimum: 1, maximum: MAX_TIMES } as const satisfies Schema;

export const RateLimit = {
  description:
    "Limit of requests to operations: with { limit: 10, window: 1000 }, a project accepts 10 requests in 1,000 " +
    "milliseconds; further requests get 429. null: no limit.",
  examples: [{ limit: 10, window: 1000 }],
  anyOf: [{ type: "null" }, closedObject(["limit", "window"], { limit: Times, window: Times })],
} as const satisfies Schema;

const ImageBytes = { type: "integer", minimum: 0, maximum: MAX_IMAGE_BYTES } as const satisfies Schema;
const BodyBytes = { type: "integer", minimum: 0, maximum: MAX_BODY_BYTES } as const satisfies Schema;

/** The settings that have one of several values: what each is about, and what each value does; the first is the default. */
export const choices = {
  auth: {
    about: "Which credentials requests need.",
    values: {
      lenient: "no credentials, but tokens that the mock has issued must be valid",
      present: "the credentials that the operation requires, with any value",
      strict: "like present, but the mock must have issued the token",
      off: "no credentials",
    },
  },
  validation: {
    about: "How to handle requests that violate the contract.",
    values: {
      enforce: "respond with 400",
      report: "serve the requests, and record the violations in the journal",
      off: "serve the requests, and record no violations",
    },
  },
  unknownIds: {
    about: "How to handle requests with an unknown id or key.",
    values: {
      fixture: "create the resource from the fixture",
      "not-found": "respond with 404",
      auto: "the same as not-found if clients can create such resources, else the same as fixture",
    },
  },
  responses: {
    about: "How to create a response if neither state nor a fixture applies.",
    values: {
      example: "the example in the contract, else generated data",
      generated: "generated data",
    },
  },
  collection: {
    about: "How to respond to requests that list resources.",
    values: {
      sample: "with the fixture",
      paged: "with a page of the project's resources",
    },
  },
  start: {
    about: "Resources of a project at its first use and after a reset.",
    values: {
      sample: "the resources in the fixture seed.json",
      empty: "no resources",
    },
    more: "A change of this setting takes effect at the next reset of the project.",
  },
  upstreamMode: {
    about: "How to use the real service (--upstream).",
    values: {
      off: "do not use the service",
      spy: "forward requests to the service, return its responses, and record contract violations in the journal",
      record: "like spy, and write each new response as a fixture",
    },
  },
} as const satisfies Record<string, Choice>;

export interface Choice {
  readonly about: string;
  readonly values: Readonly<Record<string, string>>;
  readonly more?: string;
}

/** Returns the schema of a setting that has one of several values. */
function choice<Value extends string>({ about, values, more }: Choice & { readonly values: Record<Value, string> }) {
  const names = Object.keys(values) as Value[];
  const meanings = names.map((name) => `${name}: ${values[name]}`).join("; ");
  const description = [about, `${meanings}.`, more].filter(Boolean).join(" ");
  return { type: "string", enum: names, default: names[0] as Value, description } as const satisfies Schema;
}

/** The settings that are read after the body of a request, so that rules can override them for that request. */
export const requestSettings = {
  auth: choice(choices.auth),
  validation: choice(choices.validation),
  unknownIds: choice(choices.unknownIds),
  responses: choice(choices.responses),
  collection: choice(choices.collection),
} as const satisfies Record<string, Schema>;

/**
 * The settings of a project, each with its default. Flags, environment variables, their checks, the documentation and
 * the dashboard are derived from it.
 */
export const SettingsSchema = closedObject([], {
  ...requestSettings,
  start: choice(choices.start),
  maxImageBytes: {
    ...ImageBytes,
    default: 10 * 1024 * 1024,
    description: "Largest image that the service accepts, in bytes.",
  },
  maxBodyBytes: {
    ...BodyBytes,
    default: MAX_JSON_BYTES,
    description: "Largest JSON body that the service accepts, in bytes.",
  },
  journalSize: {
    type: "integer",
    minimum: 0,
    maximum: MAX_JOURNAL_SIZE,
    default: 1000,
    description: "Number of requests that the journal of a project keeps.",
  },
  upstreamMode: choice(choices.upstreamMode),
  latency: { ...Latency, default: null },
  rateLimit: { ...RateLimit, default: null },
});

export type Settings = Required<FromSchema<typeof SettingsSchema>>;

export const settingNames = Object.keys(SettingsSchema.properties) as (keyof Settings)[];

/** The default settings of a project. */
export const defaultSettings = Object.freeze(
  Object.fromEntries(settingNames.map((name) => [name, SettingsSchema.properties[name].default])),
) as Settings;
