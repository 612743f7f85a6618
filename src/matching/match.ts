import type { OperationId } from "../contract/contract.ts";
import { closedObject, type FromSchema, type Schema } from "../contract/schema.ts";
import { MAX_PATTERN } from "./pattern.ts";

/** Methods and header names consist of these characters (RFC 9110, 5.6.2). */
export const TOKEN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/** Scenario names appear in paths, headers and sources. */
export const scenarioName = /^[\w-]{1,100}$/;

/** A name of an operation. The type knows the names; which of them exist is for the contract to say, not the schema. */
export interface NameSchema<Name extends string> {
  readonly type: "string";
  readonly default?: Name;
  readonly description: string;
  readonly enum?: readonly Name[];
}
export const OperationName: NameSchema<OperationId> = { type: "string", description: "The operation's id." };
export const OperationOrAny: NameSchema<OperationId | "*"> = {
  type: "string",
  default: "*",
  description: "The operation; * for each that can have these effects.",
};

/** Returns the schema as a document shows it: with the names, where it is one of the two above. */
export function withNames<S>(schema: S, ids: readonly string[]): S | (S & { enum: readonly string[] }) {
  if (schema === OperationName) return { ...schema, enum: ids };
  return schema === OperationOrAny ? { ...schema, enum: ["*", ...ids] } : schema;
}

const Pattern = closedObject(["matches"], {
  matches: {
    type: "string",
    minLength: 1,
    maxLength: MAX_PATTERN,
    description: "A regular expression in RE2 syntax, found anywhere in the text unless ^ and $ anchor it.",
  },
});

const Texts = {
  type: "object",
  additionalProperties: {
    description: "The exact text, or a pattern that it matches.",
    anyOf: [{ type: ["string", "number", "boolean"] }, Pattern],
  },
} as const satisfies Schema;
export type Texts = FromSchema<typeof Texts>;

/** What rules and verifications say about a request: everything named must match. */
export const requestParts = {
  method: { type: "string", pattern: TOKEN, description: "The method, in any case." },
  path: {
    description:
      'The path, decoded or as sent, where * at its end matches any rest; or a pattern for it: { "matches": "^/shop/" }; or path parameters by name, decoded: { "id": "42" }.',
    anyOf: [
      { type: "string", minLength: 1 },
      { ...Texts, properties: { matches: { ...Pattern.properties.matches, description: "For the whole path." } } },
    ],
  },
  query: { ...Texts, description: "Query parameters by name, decoded; of several with one name, any one." },
  headers: { ...Texts, description: "Headers by name, in any case.", propertyNames: { pattern: TOKEN } },
  body: {
    description:
      'What the JSON body contains: objects may have more members than named here, arrays are compared item by item, everything else is equal. { "matches": "…" } at any place is a pattern for the text there, and for anything but text, for its JSON.',
  },
} as const satisfies Record<string, Schema>;

/** Which requests are meant: everything named must match. */
export const Match = {
  ...closedObject([], {
    operation: OperationName,
    ...requestParts,
    status: {
      type: ["integer", "string"],
      minimum: 100,
      maximum: 599,
      pattern: "^[1-5]xx$",
      description: "The response's status, or its class: 4xx.",
    },
    source: {
      type: "string",
      minLength: 1,
      description: "The source of the response: scenario:conflict, or its kind: scenario.",
    },
  }),
  description: "Which requests are meant: everything named must match; without anything, every request matches.",
} as const satisfies Schema;
export type Match = FromSchema<typeof Match>;
/** A match that fits the schema, whose operation may not exist. */
export type UncheckedMatch = Omit<Match, "operation"> & { operation?: string };

/** Returns the path parameters in a match. `matches` is not one: it is the pattern for the whole path. */
export function parametersOf(path: Match["path"]): Texts {
  const { matches: _pattern, ...parameters } = typeof path === "object" ? path : {};
  return parameters;
}
