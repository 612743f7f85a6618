import { type FromSchema, MAX_INTERVALS, MAX_REQUEST_PAGE, object, type Schema } from "../contract/index.ts";
import { failureNames } from "../journal/index.ts";

/**
 * The query parameters that several operations share. Clients that describe their own parameters use them too, so this
 * module does not load the engine.
 */

/** The number of requests in a page. */
export const REQUEST_PAGE = { default: 100, maximum: MAX_REQUEST_PAGE };

function receivedAt(time: string) {
  const description = `Only requests received at this time of ${time}: a date-time (RFC 3339), or milliseconds since 1970.`;
  return { type: "string", description } as const;
}

/** The query parameters that select requests of the journals. */
export const selection = {
  operation: { type: "string", description: "Operation ids, separated by commas." },
  method: { type: "string", description: "The HTTP method." },
  status: {
    type: "string",
    description:
      "Statuses such as 409, classes such as 4xx, and `broken` for broken connections, separated by commas. A connection that ended without a response has the status 0.",
  },
  path: { type: "string", description: "The complete path, decoded or as sent. A * at the end matches any rest." },
  source: {
    type: "string",
    description: "Sources such as scenario:conflict, or their kinds, such as scenario, separated by commas.",
  },
  offContract: {
    type: "boolean",
    description: "true: only off-contract responses, from the effect raw or a function; false: only the others.",
  },
  failure: {
    type: "string",
    description: `Failures of the coverage, separated by commas: ${failureNames.join(", ")}.`,
  },
  header: {
    type: "string",
    description:
      "The name of a header of the request or the response, such as x-trace, or the name with a part of its value: x-trace=t-7. Case is ignored.",
  },
  rule: {
    type: "string",
    description: "Rules, functions and scenarios with an effect on the request, such as r-1, separated by commas.",
  },
  changed: { type: "string", description: "The id of a resource or image that the request changed." },
  violations: {
    type: "boolean",
    description: "true: only requests that violated the contract; false: only requests that did not.",
  },
  q: {
    type: "string",
    description:
      "Words, separated by spaces. Each word must occur in the method, operation id, path, query, a header, a decision, the request body or the response body, or be the request id. Case is ignored. Redacted secrets are not searched.",
  },
  since: receivedAt("the project's clock or later"),
  from: receivedAt("the server's clock or later"),
  to: receivedAt("the server's clock or earlier"),
} as const;

export const RequestSelection = object([], selection);
export type RequestSelection = FromSchema<typeof RequestSelection>;

/** The query parameter that selects projects, for calls over all projects. */
export const projectSelection = {
  project: { type: "string", description: "Only projects with this text in their key. Case is ignored." },
} as const;

export const PageOptions = object([], {
  limit: {
    type: "integer",
    minimum: 0,
    maximum: REQUEST_PAGE.maximum,
    description: `The maximum number of requests; ${REQUEST_PAGE.default} by default, and all with format=har.`,
  },
  before: {
    type: "string",
    description: "Only older requests than this one: a request id, or `next` of the previous page.",
  },
  brief: { type: "boolean", description: "true: each request is a summary, without headers and bodies." },
});
export type PageOptions = FromSchema<typeof PageOptions>;

/** The query parameters that select a page of the requests. */
export const requestPaging = {
  ...PageOptions.properties,
  format: {
    type: "string",
    enum: ["json", "har"],
    description: "har: an HTTP archive (HAR 1.2) for the developer tools of browsers, in the order of arrival.",
  },
} as const;

/** The number of intervals in a timeline. */
export const BUCKETS = { default: 60, maximum: MAX_INTERVALS };

export const TimelineOptions = object([], {
  buckets: {
    type: "integer",
    minimum: 1,
    maximum: BUCKETS.maximum,
    description: `The number of intervals; ${BUCKETS.default} by default.`,
  },
});
export type TimelineOptions = FromSchema<typeof TimelineOptions>;

/** The query parameters that select and sort projects. */
export const ProjectFilter = object([], {
  q: { type: "string", description: "Only projects with this text in their key. Case is ignored." },
  sort: {
    type: "string",
    enum: ["created", "activity", "failures"],
    description:
      "created: in the order of the first use, by default. activity: the last request first. failures: most unexpected errors first, then most errors, then the last request.",
  },
});
export type ProjectFilter = FromSchema<typeof ProjectFilter>;

/** The query parameter of calls for items of any type. */
export const ofType = {
  type: {
    type: "string",
    description:
      "The name of a type in `GET …/types`; by default the first one. Or the path of a collection, such as `/users/ann/posts`.",
  },
} as const satisfies Record<string, Schema>;

/** The query parameters that select resources. */
export const ResourceFilter = object([], {
  ...ofType,
  key: { type: "string", description: "Returns only the resource with this key." },
  q: { type: "string", description: "A part of the id or the key. Case is ignored." },
  where: { type: "string", description: "A predicate, such as `version > 1`. Without variables." },
  sort: { type: "string", description: "`path [asc|desc]`; by default the order of creation." },
});
export type ResourceFilter = FromSchema<typeof ResourceFilter>;
