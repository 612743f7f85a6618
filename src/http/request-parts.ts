/**
 * Returns what `new Request(url, parts)` needs to make the same request for another URL. `new Request(url, request)`
 * does not do it: where a DOM brings its own Request, such as in jsdom, it drops the method, the headers and the body.
 */
export function requestParts({ method, headers, body, signal }: Request): RequestInit {
  return portable({ method, headers, body, signal, duplex: "half" } as RequestInit);
}

/** Returns the same options with headers and a signal that this realm's Request takes; those given may be another's. */
export function portable(init: RequestInit): RequestInit {
  const { headers, signal } = init;
  return {
    ...init,
    ...(headers && Symbol.iterator in headers && { headers: [...headers] as [string, string][] }),
    ...(signal && { signal: signal instanceof AbortSignal ? signal : following(signal) }),
  };
}

/** Returns a signal that aborts when the other does. */
function following(other: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(other.reason);
  if (other.aborted) abort();
  else other.addEventListener("abort", abort, { once: true });
  return controller.signal;
}
