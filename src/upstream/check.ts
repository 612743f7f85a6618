import { readJsonBody } from "../call/body.ts";
import type { ServiceOperation } from "../contract/contract.ts";
import { declaredStatuses } from "../contract/operation.ts";
import type { ErrorDetail } from "../contract/service-error.ts";
import { findProblems } from "../contract/validator.ts";
import { MAX_ERROR_DETAILS } from "../limits.ts";
import { utf8 } from "../text/json.ts";
import { shown } from "../text/shown.ts";

/** A response of the upstream with its decoded body. */
export interface Received {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
  /** Why the body could not be decoded. */
  readonly problem?: string;
}

/** The contract violations of a response, and its JSON value if it has one. */
export interface Checked {
  readonly violations: readonly ErrorDetail[];
  readonly json?: { readonly value: unknown };
}

/** Validates a response against the contract. */
export async function checkReceived(operation: ServiceOperation, received: Received): Promise<Checked> {
  const { status, contentType, bytes, problem } = received;
  const declared = operation.responses[status];
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
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  const isJson = type === "application/json" || type?.endsWith("+json");
  if (!isJson) return violation(`Content-Type: expected application/json, found ${shown(type)}`, "Content-Type");
  if (utf8(bytes) === undefined) return violation("The body: expected UTF-8, found other bytes", "");
  const reading = await readJsonBody(bytes);
  if ("refusal" in reading) {
    const { pointer, message } = reading.refusal;
    return violation(`${pointer || "The body"}: ${message}`, pointer);
  }
  const { value } = reading;
  const problems = await findProblems(declared.schema, value);
  return {
    json: { value },
    violations: problems
      .slice(0, MAX_ERROR_DETAILS)
      .map(({ pointer, message }) => detail(`${pointer || "The body"}: ${message}`, pointer)),
  };
}

function violation(message: string, field?: string): Checked {
  return { violations: [detail(message, field)] };
}

function detail(message: string, field?: string): ErrorDetail {
  return { code: "InvalidResponse", message: `The response: ${message}`, ...(field !== undefined && { field }) };
}
