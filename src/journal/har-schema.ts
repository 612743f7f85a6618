import { count, dateTime, type FromSchema, object, objectExcept, type Schema, string } from "../contract/index.ts";

const milliseconds = { type: "number", minimum: -1 } as const satisfies Schema;
const size = { type: "integer", minimum: -1, description: "In bytes; -1 if it is unknown." } as const satisfies Schema;
const pairs = { type: "array", items: object(["name", "value"], { name: string, value: string }) } as const;

const shared = { httpVersion: string, cookies: pairs, headers: pairs, headersSize: size, bodySize: size };

const HarEntry = object(["startedDateTime", "time", "request", "response", "cache", "timings"], {
  startedDateTime: { ...dateTime, description: "The time of arrival by the server's clock." },
  time: { ...milliseconds, description: "The time from the arrival of the request to the response." },
  request: objectExcept(["postData"], {
    method: string,
    url: string,
    ...shared,
    queryString: pairs,
    postData: object(["mimeType", "text"], {
      mimeType: string,
      text: { type: "string", description: "The body as text, or in base64 if `_encoding` is set." },
      params: pairs,
      comment: string,
      _encoding: { const: "base64" },
    }),
  }),
  response: objectExcept(["_error"], {
    status: { type: "integer", description: "0 if the connection ended without a response." },
    statusText: string,
    ...shared,
    content: object(["size", "mimeType"], {
      size,
      mimeType: string,
      text: string,
      encoding: { const: "base64" },
      comment: string,
    }),
    redirectURL: string,
    _error: { type: "string", description: "Why the connection broke before the response was complete." },
  }),
  cache: { type: "object" },
  timings: objectExcept([], {
    blocked: milliseconds,
    dns: milliseconds,
    connect: milliseconds,
    ssl: milliseconds,
    send: milliseconds,
    wait: milliseconds,
    receive: milliseconds,
  }),
  _id: { type: "string", description: "The id of the request in the journal." },
  _project: string,
  _operation: string,
  _mockSource: { type: "string", description: "The source of the response, as in Mock-Source." },
  _decisions: { type: "array", items: string },
  _violations: { type: "array", items: string },
  _offContract: { const: true },
});
export type HarEntry = FromSchema<typeof HarEntry>;

/** An HTTP archive (HAR 1.2). Members with an underscore are specific to resource-mock. */
export const Har = object(["log"], {
  log: object(["version", "creator", "pages", "entries"], {
    version: { const: "1.2" },
    creator: object(["name", "version"], { name: string, version: string }),
    pages: { type: "array", items: { type: "object" } },
    entries: { type: "array", items: HarEntry, description: "In the order of arrival." },
    _total: { ...count, description: "The number of matching requests, in all pages." },
    _next: { type: "string", description: "The value of `before` for the next page. Absent on the last page." },
  }),
});
export type Har = FromSchema<typeof Har>;
