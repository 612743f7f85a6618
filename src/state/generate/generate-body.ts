import {
  type ErrorCode,
  errorBody,
  errorCatalogue,
  type Operation,
  type Schema,
  ServiceError,
} from "../../contract/index.ts";
import type { Settings } from "../index.ts";
import { generateValue } from "./generate-value.ts";

/**
 * Returns a response body generated from its schema. It matches the contract, and the same seed (a whole number below
 * 2^32) creates the same body. Returns `undefined` if the response has no body. The operation must declare the status.
 */
export async function generateBody(
  operation: Operation,
  status: number,
  seed: number,
  collection: Settings["collection"],
): Promise<unknown> {
  const { schema, schemaOf } = operation.responses[status] ?? {};
  if (!schema) return undefined;
  return generateValue(status < 400 ? (schemaOf?.[collection] ?? schema) : errorBodies(status), seed, schema);
}

const errors = new Map<number, Schema>();

/** Returns a schema of the error bodies for this status. Their messages come from the error catalogue. */
function errorBodies(status: number): Schema {
  const known = errors.get(status);
  if (known) return known;
  // The service never returns InvalidStub: the code reports a mistake in a stub.
  const codes = Object.entries(errorCatalogue).filter(
    ([code, entry]) => entry.status === status && code !== "InvalidStub",
  );
  const bodies = codes.map(([code, { meaning }]) =>
    errorBody(new ServiceError({ code: code as ErrorCode, message: meaning })),
  );
  const schema: Schema = { enum: bodies };
  errors.set(status, schema);
  return schema;
}
