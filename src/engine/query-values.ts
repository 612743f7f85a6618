import { queryOf } from "../rules/index.ts";
import type { Call } from "./call/call.ts";

/**
 * Returns the query parameters by name: with the types of the contract, so a repeatable parameter is an array; as sent if
 * the contract does not define the parameter or the value is invalid.
 */
export function queryValues({ request, query }: Call): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, texts] of Object.entries(queryOf(request))) {
    values[name] = query[name] ?? (texts.length === 1 ? texts[0] : texts);
  }
  return values;
}
