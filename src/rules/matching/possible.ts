import {
  didYouMean,
  isObject,
  join,
  type Operation,
  type Problem,
  redactText,
  type Schema,
  type SourceKind,
  shown,
  sourceKinds,
  tokenOperation,
  variantsOf,
} from "../../contract/index.ts";
import { sandboxKey, sandboxOf } from "../../state/index.ts";
import { type Match, parametersOf, scenarioName, TOKEN } from "./match-schema.ts";
import { decoded, keyIn, PROJECT_KEY, plainKey } from "./paths.ts";
import { isAbsent, isContains, isPattern } from "./pattern.ts";

/** The operations that a match or rule can apply to. Each condition and effect narrows them. */
export interface Candidates {
  operations: readonly Operation[];
  readonly problems: Problem[];
  /** Whether requests without an operation (404, 405) can match too. The journal has them, but rules do not apply to them. */
  readonly includesUnknown?: boolean;
  /** The project whose requests are compared; undefined for all projects. */
  readonly projectKey?: string | undefined;
  /** The recorded requests of the project. They can be those of another project, whose archive the project has got. */
  readonly requests?: () => Iterable<{ readonly path: string }>;
}

/** Keeps the operations that satisfy `can`. If none is left, adds a problem; `message` gets the operations before. */
export function keepOperations(
  candidates: Candidates,
  can: (operation: Operation) => boolean,
  pointer: string,
  message: (operations: readonly Operation[]) => string,
): void {
  const able = candidates.operations.filter(can);
  // If there was no operation before, an earlier call has reported the problem.
  if (able.length === 0 && candidates.operations.length > 0) {
    candidates.problems.push({ pointer, message: message(candidates.operations) });
  }
  candidates.operations = able;
}

/**
 * Narrows the candidates to the operations that can match, and reports impossible conditions. Without this check, a typo
 * would look like a missing request, or like a rule that never takes effect.
 */
export function checkPossible(match: Match, candidates: Candidates): void {
  const { operations, problems } = candidates;
  const { operation, method, path, source } = match;
  const parameters = Object.keys(parametersOf(path));
  if (operation !== undefined) {
    const isIt = ({ id }: Operation) => id === operation;
    keepOperations(candidates, isIt, "/operation", (known) => {
      const ids = known.map(({ id }) => id);
      return `expected one of ${ids.join(", ")}, found ${shown(operation)}.${didYouMean(operation, ids)}`;
    });
  }
  for (const name of parameters) {
    const hasIt = (each: Operation) => pathParameters(each).includes(name);
    keepOperations(candidates, hasIt, join("/path", name), (before) => {
      const known = new Set(before.flatMap(pathParameters));
      const hint = didYouMean(name, known) || ` Known: ${[...known].join(", ") || "none"}.`;
      return `expected a path parameter of the operation, found ${shown(name)}.${hint}`;
    });
  }
  const needsBody = "body" in match && !isAbsent(match.body);
  if (needsBody) {
    const hasBody = ({ body }: Operation) => body !== undefined;
    const message = "expected no body condition, as this operation accepts no body";
    keepOperations(candidates, hasBody, "/body", () => message);
    const schemas = candidates.operations.flatMap(({ body }) => body?.schema ?? []);
    checkArrays(match.body, schemas, "/body", problems);
  }
  const isOfOperation = operation !== undefined || parameters.length > 0 || needsBody || !candidates.includesUnknown;
  if (method !== undefined) checkMethod(method, candidates, isOfOperation);
  if (typeof path === "string") checkPath(path, candidates, isOfOperation);
  checkProject(match, candidates);
  if (source !== undefined) checkSource(source, operations, problems);
}

function pathParameters({ parameters }: Operation): string[] {
  return parameters.flatMap((parameter) => (parameter.in === "path" ? parameter.name : []));
}

const methodName = new RegExp(TOKEN);

/** Validates the method. A request without an operation can have any method. */
function checkMethod(method: string, candidates: Candidates, isOfOperation: boolean): void {
  const pointer = "/method";
  if (!methodName.test(method)) {
    candidates.problems.push({ pointer, message: `expected a method, such as POST, found ${shown(method)}` });
  } else if (isOfOperation) {
    const hasIt = (operation: Operation) => operation.method === method.toUpperCase();
    keepOperations(candidates, hasIt, pointer, (known) => {
      const methods = anyOf(new Set(known.map((operation) => operation.method)));
      return `expected ${methods} (the method of ${anyOf(known.map(({ id }) => id))}), found ${shown(method)}`;
    });
  }
}

/** Matches the placeholders of templates: `{id}`, `:id`, and `*` or `.*` for a part of the path. */
const placeholder = /\{[\w-]*\}|\/:[A-Za-z_]\w*(?=\/|$)|\/\*+(?=\/)|\*\*$|\.\*/;

function checkPath(path: string, candidates: Candidates, isOfOperation: boolean): void {
  const { operations, problems, includesUnknown, projectKey } = candidates;
  const found = shown(redactText(path));
  const own = `/${plainKey(projectKey ?? "my-project")}`;
  if (!path.startsWith("/")) {
    problems.push({ pointer: "/path", message: `expected a path that starts with /, found ${found}` });
  } else if (path.includes("?")) {
    const message = `expected a path without a query, found ${found}. Write a ? in the path as %3F.`;
    problems.push({ pointer: "/path", message });
  } else if (placeholder.test(path.replace(own, ""))) {
    const hint = 'A path has no placeholders. Write * at its end for any rest, or path parameters: { "id": "42" }.';
    problems.push({ pointer: "/path", message: `expected the path of a request, found ${found}. ${hint}` });
  } else if (!isOfProject(path, candidates)) {
    const hint = sandboxOf(projectKey ?? "") === undefined ? "" : " Leave out the sandbox.";
    problems.push({
      pointer: "/path",
      message: `expected a path of the project, such as ${own}/resource, found ${found}.${hint}`,
    });
  } else if (isOfOperation) {
    const [first] = operations;
    const paths =
      operations.length === 1 && first
        ? first.path.replace(`/{${PROJECT_KEY}}`, own)
        : `a path of an operation, such as ${own}/resource`;
    const forRules = includesUnknown ? "" : " Rules apply to requests of operations only.";
    const hint = path.endsWith("/") ? " No operation has a path that ends with /." : forRules;
    const message = `expected ${paths}, found ${found}.${hint}`;
    const hasIt = (operation: Operation) => canHavePath(operation, path);
    keepOperations(candidates, hasIt, "/path", () => message);
  }
}

/** Returns whether a request to the operation can have this path, or for a path with * at its end, a path that starts so. */
function canHavePath(operation: Operation, path: string): boolean {
  const isPrefix = path.endsWith("*");
  const segments = (isPrefix ? path.slice(0, -1) : path).split("/");
  const expected = operation.path.split("/");
  const last = expected.length - 1;
  if (segments.length < expected.length && !isPrefix) return false;
  if (path.endsWith("/")) return false;
  // A decoded parameter at the end can contain slashes.
  if (segments.length > expected.length && !expected[last]?.includes("{")) return false;
  return expected.slice(0, segments.length).every((segment, index) => {
    const sent = decoded(segments[index] ?? "");
    const literal = segment.split("{", 1)[0] ?? "";
    const isParameter = segment.length > literal.length;
    if (isPrefix && index === segments.length - 1 && literal.startsWith(sent)) return true;
    return isParameter ? sent.startsWith(literal) : sent === literal;
  });
}

/** Returns whether a request of the project can have this path, or for a path with * at its end, a path that starts so. */
function isOfProject(path: string, candidates: Candidates): boolean {
  if (candidates.projectKey === undefined || canHavePath(tokenOperation, path)) return true;
  const own = `/${plainKey(candidates.projectKey)}`;
  const isPrefix = path.endsWith("*");
  const text = decoded(isPrefix ? path.slice(0, -1) : path);
  const isOwn = text === own || text.startsWith(`${own}/`) || (isPrefix && own.startsWith(text));
  return isOwn || hasOthers(candidates);
}

/** Returns whether the journal has requests of another project, whose archive the project has got. */
function hasOthers({ projectKey = "", requests }: Candidates): boolean {
  const own = plainKey(projectKey);
  return Iterator.from(requests?.() ?? []).some(({ path }) => {
    const key = keyIn(path);
    return key !== own && plainKey(key) !== own && !canHavePath(tokenOperation, path);
  });
}

/** Matches a pattern for paths that start with a key. Other patterns can match keys in many ways. */
const patternOfKey = /^\^\\?(\/[\w~-]+)\\?\/(?![?*{])[^|]*$/;

/** Reports conditions that name another project or sandbox than that of the requests. `checkPath` checks the whole path. */
function checkProject({ operation, path, headers = {} }: Match, candidates: Candidates): void {
  const { projectKey, problems } = candidates;
  if (projectKey === undefined) return;
  const own = plainKey(projectKey);
  const report = (pointer: string, expected: string, found: unknown, hint = "") =>
    problems.push({ pointer, message: `expected ${expected}, found ${shown(found)}.${hint}` });
  const { matches, [PROJECT_KEY]: key = own } = typeof path === "object" ? path : {};
  const start = typeof matches === "string" ? patternOfKey.exec(matches)?.[1] : undefined;
  if (start !== undefined && !isOfProject(`${start}/*`, candidates)) {
    report("/path/matches", `a pattern for paths of the project, such as ^/${own}/`, matches);
  }
  if (!isPattern(key) && String(key) !== own && !hasOthers(candidates)) {
    report(join("/path", PROJECT_KEY), shown(own), key);
  }
  for (const [name, text] of Object.entries(headers)) {
    // A token request without scopes can belong to a project outside of its sandbox.
    if (name.toLowerCase() !== "mock-sandbox" || typeof text === "object" || operation === tokenOperation.id) continue;
    const sandbox = sandboxOf(projectKey);
    if (String(text) === sandbox || hasOthers(candidates)) continue;
    const hint = ` Requests with this header belong to the project ${shown(sandboxKey(own, String(text)))}.`;
    report(join("/headers", name), sandbox === undefined ? "no sandbox" : shown(sandbox), text, hint);
  }
}

/**
 * Reports objects where the contract has an array. An object with the members "0", "1", … looks like a condition for these
 * items, but no array matches an object.
 */
function checkArrays(expected: unknown, schemas: readonly Schema[], pointer: string, problems: Problem[]): void {
  const variants = schemas.flatMap(variantsOf);
  const items = variants.flatMap((schema) => schema.items ?? []);
  if (Array.isArray(expected)) {
    for (const [index, item] of expected.entries()) checkArrays(item, items, join(pointer, index), problems);
  } else if (isObject(expected) && !isPattern(expected) && !isAbsent(expected)) {
    if (isContains(expected) && items.length > 0) {
      checkArrays(expected.contains, items, join(pointer, "contains"), problems);
    } else if (variants.length > 0 && variants.every(({ type }) => type === "array")) {
      const names = Object.keys(expected).slice(0, 3).map(shown).join(", ");
      const found = names === "" ? "an empty object" : `an object with ${names}`;
      const message = `expected an array, or { "contains": { … } } for one of its items, found ${found}`;
      problems.push({ pointer, message });
    } else {
      for (const [name, member] of Object.entries(expected)) {
        const own = variants.flatMap(({ properties = {} }) =>
          Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
        );
        if (own.length > 0) checkArrays(member, own, join(pointer, name), problems);
      }
    }
  }
}

/** The formats of the text after the colon, for the kinds of sources that have one. */
const names: { readonly [Kind in SourceKind]?: RegExp } = {
  fixture: /^(\w+)\/\d{3}(\..+)?\.json$/,
  scenario: scenarioName,
  rule: /^r-\d+$/,
  function: /^f-\d+$/,
};

function checkSource(source: string, operations: readonly Operation[], problems: Problem[]): void {
  const [text = ""] = source.split(":", 1);
  const kind = sourceKinds.find((each) => each === text);
  const name = kind && names[kind]?.exec(source.slice(kind.length + 1));
  const isKnown = kind === "fixture" ? operations.some(({ id }) => id === name?.[1]) : name;
  if (source === kind || isKnown) return;
  const hint = kind ? "" : didYouMean(text, sourceKinds);
  const message = `expected ${anyOf(sourceKinds)}, or a source such as scenario:conflict, rule:r-1 or fixture:getCart/200.json, found ${shown(source)}.${hint}`;
  problems.push({ pointer: "/source", message });
}

function anyOf(names: Iterable<string>): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names);
}
