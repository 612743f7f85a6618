import { readJson } from "../../contract/index.ts";

/** A request to match: a journal entry, or a live call before its response. */
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
  readonly requestBody: string | Uint8Array | undefined;
  /** The JSON in the body, if it has been parsed. */
  readonly json?: { readonly value: unknown };
  /** The full size of the body in bytes, if the journal cut it. */
  readonly cut?: { readonly request?: number };
  readonly status?: number;
  readonly source?: string;
  readonly offContract?: boolean;
}

/** The JSON of a body, or the reason why it cannot be compared; undefined for a request without a body. */
type SeenBody = { readonly value: unknown } | { readonly unread: string } | undefined;

/** A request during a comparison. Parses the query and the body once, at their first use. */
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
    return { unread: `(${cut.request} bytes, which the journal has cut)` };
  }
  if (!requestBody?.length) return undefined;
  const reading = readJson(requestBody);
  return "value" in reading ? reading : { unread: "(not JSON)" };
}

/** Returns the values of the query by name, in the order of the request. */
export function queryOf({ query }: Pick<Matchable, "query">): Readonly<Record<string, readonly string[]>> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values[name];
    if (before) before.push(value);
    else values[name] = [value];
  }
  return values;
}
