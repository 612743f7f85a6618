/**
 * A request as the rules see it: plain data, however it arrived (a socket, `fetch`, MSW).
 */
export interface ServiceRequest {
  readonly method: string;
  /** The scheme and host that the client called: `http://localhost:8080`. */
  readonly origin: string;
  /** The path as sent, percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty when there is none. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Reads the body; empty when there is none. Throws `ContentTooLarge` when it holds more than `limit` bytes, having
   * read no more than that; `setting` is what set the limit, if any did.
   */
  readBody(limit: number, setting?: string): Promise<Uint8Array>;
  /** Aborts when the client goes away. Made when first asked for. */
  signal(): AbortSignal;
}

/** The header's value; of several lines of one name, the values joined as RFC 9110 says. */
export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** The media type of the request's body, without parameters, in lower case. */
export function mediaType(request: ServiceRequest): string | undefined {
  return header(request, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}
