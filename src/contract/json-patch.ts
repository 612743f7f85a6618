import { type FromSchema, object, type Schema } from "./json-schema.ts";
import { MAX_PATCH } from "./limits.ts";

const pointer = { type: "string", pattern: "^(/|$)" } as const satisfies Schema;

/** A JSON Patch (RFC 6902, section 4). */
export const JsonPatch = {
  type: "array",
  maxItems: MAX_PATCH,
  items: object(["op", "path"], {
    op: { enum: ["add", "remove", "replace", "move", "copy", "test"] },
    path: pointer,
    from: pointer,
    value: {},
  }),
} as const satisfies Schema;
export type JsonPatch = FromSchema<typeof JsonPatch>;
