import type { FromSchema, Schema } from "../contract/schema.ts";

/** For how long an answer may be held back. */
export const Milliseconds = { type: "number", minimum: 0, maximum: 600_000 } as const satisfies Schema;

/** How long each answer is held back, in milliseconds. */
export const Latency = {
  description: "How long each answer is held back, in milliseconds; null for not at all.",
  anyOf: [
    { type: "null" },
    {
      type: "object",
      required: ["fixed"],
      additionalProperties: false,
      properties: { fixed: Milliseconds },
    },
    {
      type: "object",
      required: ["uniform"],
      additionalProperties: false,
      properties: { uniform: { type: "array", items: Milliseconds, minItems: 2, maxItems: 2 } },
    },
    {
      type: "object",
      required: ["lognormal"],
      additionalProperties: false,
      properties: {
        lognormal: {
          type: "object",
          required: ["median", "sigma"],
          additionalProperties: false,
          properties: { median: Milliseconds, sigma: { type: "number", minimum: 0, maximum: 10 } },
        },
      },
    },
  ],
} as const satisfies Schema;
export type Latency = FromSchema<typeof Latency>;

const MiB = 1024 * 1024;

/** The settings of a project (DESIGN section 4), each with its default. */
export const SettingsSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    auth: {
      type: "string",
      enum: ["lenient", "strict", "off"],
      default: "lenient",
      description:
        "lenient: no header is fine, a header must be a well-formed bearer, tokens issued here are checked, foreign ones pass; strict: a token issued here is required; off.",
    },
    validation: {
      type: "string",
      enum: ["enforce", "report", "off"],
      default: "enforce",
      description: "enforce: a request that breaks the contract is 400; report: it is served and journaled; off.",
    },
    unknownIds: {
      type: "string",
      enum: ["fixture", "not-found"],
      default: "fixture",
      description: "What an id or key that nobody created is: brought to life from the fixture, or 404.",
    },
    collection: {
      type: "string",
      enum: ["sample", "paged"],
      default: "sample",
      description: "What operation 1 answers: the interface's sample shape, or the paging envelope over the state.",
    },
    maxFuzzyLevel: { type: "number", minimum: 0, default: 10, description: "The platform's default fuzzy level." },
    maxImageBytes: {
      type: "integer",
      minimum: 0,
      maximum: 100 * MiB,
      default: 10 * MiB,
      description: "The largest image taken, in bytes.",
    },
    maxBodyBytes: {
      type: "integer",
      minimum: 0,
      maximum: 100 * MiB,
      default: 16 * MiB,
      description: "The largest JSON body taken, in bytes.",
    },
    journalSize: {
      type: "integer",
      minimum: 0,
      maximum: 100_000,
      default: 1000,
      description: "How many requests the journal keeps.",
    },
    latency: Latency,
  },
} as const satisfies Schema;

export type Settings = Required<FromSchema<typeof SettingsSchema>>;

/** The settings that a project has when nobody set any. */
export const defaultSettings: Settings = Object.freeze({
  ...(Object.fromEntries(
    Object.entries(SettingsSchema.properties).map(([name, schema]) => [
      name,
      "default" in schema ? schema.default : null,
    ]),
  ) as Settings),
});
