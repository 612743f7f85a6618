import { lazily, MAX_CHECKED_BYTES, RESPONSE_TIMEOUT_MS } from "../../contract/index.ts";
import type { Call, Forwarding, Upstream } from "../../engine/index.ts";
import { addressOf } from "./address.ts";
import { forward } from "./forward.ts";
import type { Recorder } from "./record.ts";
import { createSender } from "./send.ts";

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
  const { url, ca, timeout = RESPONSE_TIMEOUT_MS, recordTo, warn = warnOnStandardError } = options;
  const { bodyTimeout = timeout } = options;
  const address = addressOf(url, ca);
  const recorder = recordTo === undefined ? undefined : await openRecorder(recordTo, address.secrets, warn);
  const checking = Promise.resolve();
  const service = { address, send: createSender(address), timeout, bodyTimeout, recorder, checking };
  return {
    canRecord: recorder !== undefined,
    receive,
    forward: (call, whole) => forward(service, call, forwardingOf(call), whole),
    abandon({ forwarding }) {
      void forwarding?.rest?.return?.();
    },
  };
}

async function receive(call: Call): Promise<void> {
  const { operation, settings, request } = call;
  const isImage = operation.body !== undefined && !operation.body.mediaTypes.includes("application/json");
  const limit = Math.min(MAX_CHECKED_BYTES, isImage ? settings.maxImageBytes : settings.maxBodyBytes);
  const { bytes, rest } = await request.readStart(limit);
  call.bytes = bytes;
  if (!rest) return;
  forwardingOf(call).rest = rest;
  call.decisions.push(`the request body was not validated: it has more than ${limit} bytes`);
}

function forwardingOf({ forwarding }: Call): Forwarding {
  if (forwarding) return forwarding;
  throw new Error("expected a call with forwarding, found one without");
}

const loadRecord = lazily(() => import("./record.ts"));

async function openRecorder(
  folder: string,
  secrets: readonly string[],
  warn: (line: string) => void,
): Promise<Recorder> {
  const { createRecorder } = await loadRecord();
  return createRecorder({ folder, secrets, warn });
}

function warnOnStandardError(line: string): void {
  process.stderr.write(`resource-mock: ${line}\n`);
}
