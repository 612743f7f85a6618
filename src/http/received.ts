import type { HttpBindings } from "@hono/node-server";
import { MAX_RECEIVED_BYTES, ServiceError } from "../contract/index.ts";

let total = 0;

/** Counts the received bytes of the body of one request. */
export interface Received {
  /** Counts more bytes. Returns an error if the bodies of all requests exceed the limit. */
  add(bytes: number): ServiceError | undefined;
  /** Ends the count. */
  release(): void;
}

/** Returns the count for a request. It ends with the response or the connection. In process, the caller ends it. */
export function receivedBy(outgoing: HttpBindings["outgoing"] | undefined): Received {
  let own = 0;
  const release = () => {
    total -= own;
    own = 0;
  };
  return {
    add(bytes) {
      if (own === 0) outgoing?.once("close", release);
      own += bytes;
      total += bytes;
      return total > MAX_RECEIVED_BYTES ? tooBusy() : undefined;
    },
    release,
  };
}

function tooBusy(): ServiceError {
  const message = `The bodies of all requests in progress: expected at most ${MAX_RECEIVED_BYTES} bytes, found more. Retry later`;
  return new ServiceError({ code: "ServiceUnavailable", message }, { "Retry-After": "1" });
}
