import { declaredStatuses, isObject, type ServiceOperation } from "../../contract/index.ts";

/** Returns the main facts of an operation. A token needs one of the scopes; none of them if the list is empty. */
export function overviewOf(operation: ServiceOperation): object {
  const { id, method, path, summary, scopes } = operation;
  return { operation: id, method, path, summary, statuses: declaredStatuses(operation).map(String), scopes };
}

/** Returns an operation of an OpenAPI document, with the components that it refers to. */
export function operationIn(document: object, operationId: string): object {
  for (const [path, item] of Object.entries(member(document, "paths"))) {
    for (const [method, row] of Object.entries(isObject(item) ? item : {})) {
      if (!isObject(row) || row.operationId !== operationId) continue;
      return { method: method.toUpperCase(), path, ...row, components: componentsOf(document, row) };
    }
  }
  // The mock has a newer or older contract than this command.
  return { note: `The mock has no operation ${operationId}.` };
}

/** Returns the components by their reference that a value refers to, directly or through other components. */
function componentsOf(document: object, value: unknown): object {
  const found = new Map<string, unknown>();
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, reference = ""] of JSON.stringify(next).matchAll(/"\$ref":"(#\/components\/[^"]+)"/g)) {
      if (found.has(reference)) continue;
      const names = reference.slice(2).split("/");
      const component = names.reduce<unknown>((at, name) => member(at, name), document);
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
