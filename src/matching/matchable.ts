import { readJson } from "../text/json-reader.ts";

/** A request as matchers see it: a journal entry, or a live call before there is a response. */
export interface Matchable {
  readonly operationId: string | undefined;
  readonly method: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** As sent, without `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestBody: Uint8Array | undefined;
  /** The JSON in the body, if it has been parsed. */
  readonly json?: { readonly value: unknown };
  /** The body's size, if only its beginning is known. */
  readonly cut?: { readonly request?: number };
  readonly status?: number;
  readonly source?: string;
}

/** The JSON in a body, why there is none to compare, or nothing for a request without a body. */
export type SeenBody = { readonly value: unknown } | { readonly unread: string } | undefined;

/** A request while it is compared. Parses the query and the body once, when a matcher first looks at them. */
export class View {
  readonly request: Matchable;
  #query: ReturnType<typeof queryOf> | undefined;
  #body: { readonly found: SeenBody } | undefined;

  constructor(request: Matchable) {
    this.request = request;
  }

  get query(): ReturnType<typeof queryOf> {
    this.#query ??= queryOf(this.request);
    return this.#query;
  }

  get body(): SeenBody {
    this.#body ??= { found: bodyOf(this.request) };
    return this.#body.found;
  }
}

function bodyOf({ json, requestBody, cut }: Matchable): SeenBody {
  if (json) return json;
  if (cut?.request !== undefined) {
    return { unread: `(${cut.request} bytes, of which the journal kept the beginning only)` };
  }
  if (!requestBody?.length) return undefined;
  const reading = readJson(requestBody);
  return "value" in reading ? reading : { unread: "(not JSON)" };
}

/** Returns the query's values by name, in the order sent. */
export function queryOf({ query }: Pick<Matchable, "query">): Readonly<Record<string, readonly string[]>> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values[name];
    if (before) before.push(value);
    else values[name] = [value];
  }
  return values;
}
