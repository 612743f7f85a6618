import { type FromSchema, members, string } from "./json-schema.ts";
import { type Operation, responseFor, successStatus } from "./operation-table.ts";

/** What the mock has understood of an operation, in a line. */
export const OperationSummary = members(
  { id: string, method: string, path: string, summary: string, role: string, reason: string },
  { type: string },
);
export type OperationSummary = FromSchema<typeof OperationSummary>;

const verbs = { list: "lists", create: "creates", read: "reads", update: "updates", delete: "deletes" } as const;

/** Returns what the mock has understood of an operation: what it does with items of the state, and why. */
export function summaryOf(operation: Operation): OperationSummary {
  const { id, method, path, summary, role } = operation;
  const shared = { id, method, path, summary };
  if (role)
    return { ...shared, role: `${verbs[role.does]} ${role.type}`, type: role.type, reason: "the contract says so" };
  const { examples = {}, schema } = responseFor(operation, successStatus(operation)) ?? {};
  const content = Object.keys(examples).length > 0 ? "the example" : schema ? "generated data" : "no body";
  return { ...shared, role: "no state", reason: `returns ${content}` };
}
