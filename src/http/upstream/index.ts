import { RESPONSE_TIMEOUT_MS } from "../../contract/index.ts";
import type { Upstream } from "../../engine/index.ts";
import { forward } from "./forward.ts";
import { createSender } from "./sender.ts";
import { addressOf } from "./upstream-address.ts";

export interface UpstreamOptions {
  /** The URL of the service: `https://api.example.com/v2`. It can contain credentials. */
  readonly url: string;
  /** The path of a CA as PEM, which replaces the CAs of Node. */
  readonly ca?: string;
  /** The longest time to wait for the response, and for each part of its body; 30,000 ms by default. */
  readonly timeout?: number;
  /** The longest time to wait for each part of the body; `timeout` by default. In milliseconds. For tests. */
  readonly bodyTimeout?: number;
  /** The folder for recorded fixtures. */
  readonly recordTo?: string;
  /** Receives a line if the folder cannot be written; by default, it goes to standard error. */
  readonly warn?: (line: string) => void;
}

/** Returns the upstream. Throws an error that names the file or folder that cannot be used. */
export async function createUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { url, ca, timeout = RESPONSE_TIMEOUT_MS, bodyTimeout = timeout, recordTo } = options;
  const { warn = (line) => process.stderr.write(`resource-mock: ${line}\n`) } = options;
  const address = await addressOf(url, ca);
  const { secrets } = address;
  const recorder =
    recordTo === undefined
      ? undefined
      : (await import("./recorder.ts")).createRecorder({ folder: recordTo, secrets, warn });
  const checking = Promise.resolve();
  const service = { address, send: createSender(address), timeout, bodyTimeout, recorder, checking };
  return { canRecord: recorder !== undefined, forward: (...forwarded) => forward(service, ...forwarded) };
}
