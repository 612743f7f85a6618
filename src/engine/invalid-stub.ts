import { findProblems, ServiceError } from "../contract/index.ts";
import type { Stub } from "../rules/index.ts";
import type { Call } from "./call/call.ts";

/** Returns the error for an invalid response of a stub. `pointer` leads into `{ status, headers, body }`; "" for all of it. */
export function invalidStub({ label, source }: Stub, pointer: string, message: string): ServiceError {
  return new ServiceError({
    code: "InvalidStub",
    message: `${label}: ${pointer === "" ? "" : `${pointer}: `}${message}`,
    ...(pointer !== "" && { field: pointer }),
    source,
  });
}

/** Validates the JSON body of a stub against the contract. Throws InvalidStub with the first problem. */
export async function checkStubBody(call: Call, status: number, body: unknown, stub: Stub): Promise<void> {
  const schema = call.operation.responses[status]?.schema;
  if (!schema) return;
  const [problem] = await findProblems(schema, body);
  if (problem) throw invalidStub(stub, `/body${problem.pointer}`, problem.message);
}
