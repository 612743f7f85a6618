import { isObject, type ObjectTestType, type QueryValues, readQuery } from "../../contract/index.ts";
import { shortHash } from "../../project/index.ts";
import { compileWhere, recordOf, variablesOf } from "../../state/index.ts";
import type { PactState, ReadExchange } from "./pact-states.ts";

/**
 * Returns the provider state of a page: its first result, as often as the page needs resources. Results have no id and no
 * key. If `where` selects a resource by id or key, the state has a name from the query. Returns undefined if no such
 * resource satisfies `where`.
 */
export function pageState(
  { exchange, operation, project, received }: ReadExchange,
  first: Readonly<Record<string, unknown>>,
): PactState | undefined {
  const { values } = readQuery(operation.pagedParameters ?? operation.parameters, exchange.query);
  const now = new Date(exchange.receivedAt).toISOString();
  const id = `pact-${shortHash(JSON.stringify(first))}`;
  const names = namesFor(values, (name) => recordOf({ ...(first as ObjectTestType), ...name }, { id, now }));
  const count = 1 + (isObject(received) && typeof received.offset === "number" ? received.offset : 0);
  const isNamed = names !== undefined && Object.keys(names).length > 0;
  if (!names || (isNamed && count > 1)) return undefined;
  if (count === 1) return { name: "a resource exists", params: { project, id, ...names, ...first } };
  return { name: "resources exist", params: { project, count, resource: first } };
}

type Names = { readonly id?: string; readonly key?: string };

/** Returns the id or key that a resource needs to satisfy `where`, or neither; undefined if no name in the query helps. */
function namesFor(values: QueryValues, resourceWith: (names: Names) => ReturnType<typeof recordOf>): Names | undefined {
  const where = [values.where ?? []].flat().map(String);
  const variables = variablesOf(values);
  try {
    const matches = compileWhere(where, variables);
    if (!matches) return {};
    const texts = where.flatMap((text) => text.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text) => JSON.parse(text));
    const found: string[] = [...new Set([...texts, ...Object.values(variables).flat()])];
    const candidates: Names[] = [{}, ...found.map((key) => ({ key })), ...found.map((id) => ({ id }))];
    return candidates.find((names) => matches(resourceWith(names)));
  } catch {
    // The upstream can have another language.
    return {};
  }
}
