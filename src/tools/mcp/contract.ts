import { isObject } from "../../contract/index.ts";

/** Reads the contract as the control API returns it: an OpenAPI 3.1 document. */

interface Facts {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The declared statuses. */
  readonly statuses: readonly string[];
  /** A token needs one of these scopes; none of them if the list is empty. */
  readonly scopes: readonly string[];
}

/** Returns the main facts of each operation. */
export function overviewOf(contract: object): Facts[] {
  return Array.from(operationsOf(contract), ({ method, path, row }) => {
    const alternatives = Array.isArray(row.security) ? row.security : [];
    return {
      operation: String(row.operationId),
      method,
      path,
      summary: String(row.summary),
      statuses: Object.keys(member(row, "responses")),
      scopes: alternatives.flatMap((each: object) => Object.values(each).flat()),
    };
  });
}

/** Returns an operation of the document, with the components that it refers to. */
export function operationIn(contract: object, operationId: string): object {
  for (const { method, path, row } of operationsOf(contract)) {
    if (row.operationId === operationId) return { method, path, ...row, components: componentsOf(contract, row) };
  }
  // The mock has a newer or older contract than this command.
  return { note: `The mock has no operation ${operationId}.` };
}

interface Row {
  readonly method: string;
  readonly path: string;
  readonly row: Readonly<Record<string, unknown>>;
}

function* operationsOf(contract: object): Generator<Row> {
  for (const [path, item] of Object.entries(member(contract, "paths"))) {
    for (const [method, row] of Object.entries(isObject(item) ? item : {})) {
      if (isObject(row) && "operationId" in row) yield { method: method.toUpperCase(), path, row };
    }
  }
}

/** Returns the components by their reference that a value refers to, directly or through other components. */
function componentsOf(contract: object, value: unknown): object {
  const found = new Map<string, unknown>();
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, reference = ""] of JSON.stringify(next).matchAll(/"\$ref":"(#\/components\/[^"]+)"/g)) {
      if (found.has(reference)) continue;
      const component = reference
        .slice(2)
        .split("/")
        .reduce<unknown>((at, name) => member(at, name), contract);
      found.set(reference, component);
      waiting.push(component);
    }
  }
  return Object.fromEntries(found);
}

function member(value: unknown, name: string): object {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(found) ? found : {};
}
