/**
 * Returns the options with which `new Request(url, options)` creates the same request for another URL.
 * `new Request(url, request)` does not work in jsdom and other DOMs with a Request class of their own: it drops the
 * method, the headers and the body.
 */
export function requestParts({ method, headers, body, signal }: Request): RequestInit {
  return portable({ method, headers, body, signal, duplex: "half" } as RequestInit);
}

/**
 * Returns the options with headers and a signal that the Request class of this realm accepts. The given headers and
 * signal may be objects of another realm.
 */
export function portable(init: RequestInit): RequestInit {
  const { headers, signal } = init;
  return {
    ...init,
    ...(headers && Symbol.iterator in headers && { headers: [...headers] as [string, string][] }),
    ...(signal && { signal: signal instanceof AbortSignal ? signal : following(signal) }),
  };
}

/** Returns a signal of this realm that aborts together with the other signal. */
function following(other: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(other.reason);
  if (other.aborted) abort();
  else other.addEventListener("abort", abort, { once: true });
  return controller.signal;
}
