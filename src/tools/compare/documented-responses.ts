import {
  bestFor,
  JSON_TYPE,
  loadCheck,
  type Operation,
  type ResponseRule,
  responseFor,
  type Schema,
  typeOf,
} from "../../contract/index.ts";
import type { Secrets } from "./credentials.ts";
import type { Reply } from "./node-exchange.ts";

/* What a contract says about a response. The problems are texts without secrets. */

/** Returns why a response has no documented media type; undefined if it has one, or needs none. */
export function typeProblem(rule: ResponseRule | undefined, { bodySize, header }: Reply): string | undefined {
  if (!rule?.schema || bodySize === 0) return undefined;
  const expected = [rule, ...(rule.alternatives ?? [])].map(({ mediaType = JSON_TYPE }) => mediaType);
  const found = header("content-type");
  const isDeclared = found !== undefined && bestFor(expected, typeOf(found)) !== undefined;
  const isStrict = isDeclared && expected.some((each) => each.includes("*") || each === typeOf(found ?? ""));
  return isStrict ? undefined : `Content-Type is ${found ?? "nothing"}, expected ${expected.join(" or ")}`;
}

/** Returns why a body is not as the operation documents it for its status; undefined if it is. */
export async function bodyProblem(operation: Operation, reply: Reply, secrets: Secrets): Promise<string | undefined> {
  const { status, json, members, bodySize } = reply;
  const rule = responseFor(operation, status);
  if (!rule?.schema || operation.method === "HEAD") return undefined;
  if (bodySize === 0) return "no body";
  const type = typeOf(reply.header("content-type") ?? "");
  const { schema } = rule.alternatives?.find((each) => each.mediaType === type) ?? rule;
  if (json === undefined) return /json/.test(type) ? "a body that is no JSON, or has a number above 2^53" : undefined;
  // Almost every object can match the other schema, so the results of a page decide which one applies.
  const applied = rule.schemaOf?.[Object.hasOwn(members, "results") ? "paged" : "sample"] ?? schema;
  return applied && (await problemOf(applied, json, secrets));
}

/** Returns the first problem of a value by a schema. */
async function problemOf(schema: Schema, value: unknown, { redactValue }: Secrets): Promise<string | undefined> {
  const check = await loadCheck(schema);
  if (check(value).length === 0) return undefined;
  // The messages contain parts of values, so they come from a value without secrets.
  const [first] = check(redactValue(value));
  return first ? `${first.pointer || "the body"}: ${first.message}` : "the body";
}

/** Returns why an error has another body than the operation documents for its status; undefined if it has that. */
export async function errorProblem(operation: Operation, reply: Reply, secrets: Secrets): Promise<string | undefined> {
  const rule = responseFor(operation, reply.status);
  const problem = typeProblem(rule, reply) ?? (await bodyProblem(operation, reply, secrets));
  return problem && `${reply.seen}: ${problem}`;
}
