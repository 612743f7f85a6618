import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { App } from "./incoming.ts";

/** Returns the handler of Node's requests for the app of the control API, which writes to Node's responses. */
export function controlListener(app: App): ReturnType<typeof getRequestListener> {
  const send: Parameters<typeof getRequestListener>[0] = async (request, env) => {
    await app.fetch(request, env as never);
    return RESPONSE_ALREADY_SENT;
  };
  // The mock may run inside a test process, whose globals must stay as they are. The adapter of the service reads the
  // rest of a body.
  const listener = getRequestListener(send, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  return (incoming, outgoing) => {
    // An HTTP/1.0 request may have no host, which the listener requires.
    incoming.headers.host ??= "localhost";
    return listener(incoming, outgoing);
  };
}
