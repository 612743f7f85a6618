/** A request as plain data, independent of its transport (a socket, `fetch`, MSW). */
export interface ServiceRequest {
  readonly method: string;
  /** The scheme and host that the client called: `http://localhost:8080`. */
  readonly origin: string;
  /** The path as sent, percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty if the request has no query. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Reads the body; empty if the request has no body. Stops and throws `ContentTooLarge` after `limit` bytes. `setting`
   * is the name of the setting that contains the limit, for the message.
   */
  readBody(limit: number, setting?: string): Promise<Uint8Array>;
  /**
   * Reads the start of the body: the whole body, or at least `limit` bytes of a longer one with an iterator over the
   * rest. The caller reads the rest, or calls its `return`.
   */
  readStart(limit: number): Promise<{ readonly bytes: Uint8Array; readonly rest?: AsyncIterator<Uint8Array> }>;
  /** Returns a signal that aborts when the client disconnects. The first call creates it. */
  signal(): AbortSignal;
}

/** Returns the value of a header. Joins several values with commas (RFC 9110, section 5.2). */
export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Returns the media type of the body, without parameters, in lower case. */
export function mediaType(request: ServiceRequest): string | undefined {
  return header(request, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}
