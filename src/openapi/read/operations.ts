import { isObject, shown } from "../../contract/index.ts";
import { follow, type Node, textOf } from "../references.ts";
import type { Copier } from "./copy.ts";
import { methods } from "./forms.ts";

/** Repairs what is only wrong beside other parts of the document: ids of operations, paths, statuses, path parameters. */
export function repairOperations(document: Node, copier: Copier): void {
  document.info ??= {};
  repairSecurity(document, document, copier);
  document.paths ??= {};
  const ids = new Set<unknown>();
  const paths = document.paths as Record<string, Node>;
  for (const [path, item] of Object.entries(paths)) {
    if (path.startsWith("x-")) continue;
    if (!path.startsWith("/")) {
      copier.warn(item, `expected a path that starts with /, found ${shown(path)}; ignored`);
      delete paths[path];
      continue;
    }
    if (/[?#]/.test(path))
      copier.warn(item, `expected a path without ? and #, found ${shown(path)}; read as the part before`);
    const operations = methods.map((method) => item[method]).filter(isObject);
    for (const operation of operations) repairOperation(operation, ids, copier);
    for (const operation of operations) repairSecurity(document, operation, copier);
    repairParameters(document, path, item, operations, copier);
  }
}

function repairOperation(operation: Node, ids: Set<unknown>, copier: Copier): void {
  const { operationId, responses } = operation;
  if (operationId !== undefined && ids.has(operationId)) {
    copier.warn(operation, `operationId: expected an id of one operation, found ${shown(operationId)} again; ignored`);
    delete operation.operationId;
  }
  ids.add(operationId);
  operation.responses = Object.fromEntries(
    Object.entries((responses ?? {}) as Node).filter(([status]) => {
      const isStatus = /^(?:[1-5](?:\d\d|XX)|default|x-.*)$/.test(status);
      if (!isStatus)
        copier.warn(operation, `responses: expected a status, 2XX or default, found ${shown(status)}; ignored`);
      return isStatus;
    }),
  );
}

/** Removes schemes that the document does not declare from the security of the document or of an operation. */
function repairSecurity(document: Node, node: Node, copier: Copier): void {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Node };
  const alternatives = Array.isArray(node.security) ? node.security : [];
  const isUnknown = (name: string) => !Object.hasOwn(securitySchemes, name);
  const unknown = new Set(alternatives.flatMap((each) => Object.keys(each ?? {})).filter(isUnknown));
  for (const name of unknown)
    copier.warn(node, `security: expected the name of a security scheme, found ${shown(name)}; ignored`);
  if (unknown.size === 0) return;
  const known = (each: Node) => Object.fromEntries(Object.entries(each).filter(([name]) => !unknown.has(name)));
  node.security = alternatives.map(known);
}

function repairParameters(document: Node, path: string, item: Node, operations: readonly Node[], copier: Copier): void {
  const names = new Set([...path.replace(/[?#].*$/s, "").matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
  const declared = [item, ...operations].map((node) => {
    const known = new Set<string>();
    const parameters = ((node.parameters ?? []) as Node[]).filter((parameter) => {
      const target = follow(document, parameter);
      const isInPath = target.in === "path";
      const id = `${target.in} ${target.name}`;
      const reason = known.has(id)
        ? "found it again"
        : isInPath && !names.has(textOf(target.name))
          ? "the path has none"
          : !target.name && "expected a name";
      if (reason) copier.warn(parameter, `parameter ${shown(target.name)}: ${reason}; ignored`);
      else if (isInPath) target.required = true;
      known.add(id);
      return !reason;
    });
    if (node.parameters) node.parameters = parameters;
    return known;
  });
  const [shared, ...own] = declared;
  if (own.length === 0) return;
  for (const name of names) {
    const isDeclared = (known: ReadonlySet<string>) => known.has(`path ${name}`);
    if (shared?.has(`path ${name}`) || own.every(isDeclared)) continue;
    const added = { name, in: "path", required: true, schema: { type: "string" } };
    item.parameters = [...((item.parameters ?? []) as Node[]), added];
    copier.warn(item, `parameter ${shown(name)} of ${path}: expected a declaration, found none; added`);
  }
}
