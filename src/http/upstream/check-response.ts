import zlib from "node:zlib";
import {
  type Contract,
  declaredStatuses,
  deviationsOf,
  type ErrorDetail,
  findProblems,
  MAX_DETAILS,
  type Operation,
  type Problem,
  responseFor,
  type SeenResponse,
  shown,
  utf8,
} from "../../contract/index.ts";
import { readJsonBody } from "../../engine/index.ts";
import type { AssumptionDifference } from "../../journal/index.ts";

/** A response of the upstream with its decoded body. */
interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
  /** Why the body could not be decoded. */
  readonly problem: string | undefined;
}

/** The contract violations of a response, its differences from assumptions, and its JSON value if it has one. */
export interface Checked {
  readonly violations: readonly ErrorDetail[];
  readonly differs: readonly AssumptionDifference[];
  readonly json?: { readonly value: unknown };
}

/**
 * Validates a response against the contract, and compares it with the assumptions of the mock. `sent`: the paths and the
 * query of the request.
 */
export async function checkReceived(
  contract: Contract,
  operation: Operation,
  sent: Pick<SeenResponse, "paths" | "query">,
  received: UpstreamResponse,
): Promise<Checked> {
  const checked = await checkBody(operation, received);
  const { claims } = await contract.loadAssumptions();
  const { status, headers } = received;
  const header = (name: string) => headers[name]?.toString();
  const differs = deviationsOf(claims, operation.id, { ...sent, status, header, json: checked.json?.value }).map(
    ({ assumption, field, found, expected }) => {
      const place = field || "The body";
      return { assumption, field, message: `The response: ${place}: expected ${expected}, found ${shown(found)}` };
    },
  );
  return { ...checked, differs: differs.slice(0, MAX_DETAILS) };
}

async function checkBody(operation: Operation, received: UpstreamResponse): Promise<Omit<Checked, "differs">> {
  const { status, headers, bytes, problem } = received;
  const declared = responseFor(operation, status);
  if (!declared) {
    const expected = declaredStatuses(operation).join(", ");
    return violation(`The status: expected one of ${expected}, found ${status}`, "status");
  }
  if (problem !== undefined) return violation(problem);
  if (!declared.schema || operation.method === "HEAD") {
    return bytes.length === 0
      ? { violations: [], json: { value: null } }
      : violation(`The body: expected none, found ${bytes.length} bytes`, "");
  }
  if (bytes.length === 0) return violation("The body: expected JSON, found nothing", "");
  const type = headers["content-type"]?.toString().split(";", 1)[0]?.trim().toLowerCase();
  const isJson = type === "application/json" || type?.endsWith("+json");
  if (!isJson) return violation(`Content-Type: expected application/json, found ${shown(type)}`, "Content-Type");
  if (utf8(bytes) === undefined) return violation("The body: expected UTF-8, found other bytes", "");
  const reading = readJsonBody(bytes);
  if ("refusal" in reading) {
    const { pointer, message } = reading.refusal;
    return violation(`${pointer || "The body"}: ${message}`, pointer);
  }
  const { value } = reading;
  const problems = await findProblems(declared.schema, value);
  const detailOf = ({ pointer, message }: Problem) => detail(`${pointer || "The body"}: ${message}`, pointer);
  return { json: { value }, violations: problems.slice(0, MAX_DETAILS).map(detailOf) };
}

function violation(message: string, field?: string): Omit<Checked, "differs"> {
  return { violations: [detail(message, field)] };
}

function detail(message: string, field?: string): ErrorDetail {
  return { code: "InvalidResponse", message: `The response: ${message}`, ...(field !== undefined && { field }) };
}

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** The codings of bodies (RFC 9110, section 8.4.1). `deflate` often lacks its zlib header, which names the method 8. */
const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["identity", (bytes) => bytes],
  ["gzip", zlib.gunzipSync],
  ["x-gzip", zlib.gunzipSync],
  ["br", zlib.brotliDecompressSync],
  ["zstd", zlib.zstdDecompressSync],
  [
    "deflate",
    (bytes, options) => (((bytes[0] ?? 0) & 15) === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  ],
]);

/**
 * Returns the body without the coding of `Content-Encoding`, or why it cannot be decoded. A body that is larger than
 * `limit` bytes when decoded is not decoded, as a small body can contain a very large one.
 */
export function decodeBody(
  bytes: Uint8Array,
  contentEncoding: string,
  limit: number,
): { readonly bytes?: Uint8Array; readonly problem?: string } {
  const coding = contentEncoding.trim().toLowerCase() || "identity";
  const decode = decoders.get(coding);
  if (!decode) return { problem: `Content-Encoding: expected gzip, br, deflate or zstd, found ${shown(coding)}` };
  try {
    return { bytes: decode(bytes, { maxOutputLength: Math.max(1, limit) }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) return { problem: `The decoded body: expected at most ${limit} bytes, found more` };
    return { problem: `The body: expected ${coding}, found other bytes` };
  }
}
