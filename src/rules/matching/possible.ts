import {
  type Addresses,
  DEFAULT_PROJECT,
  decodedPath,
  didYouMean,
  isObject,
  join,
  MAX_NAMED_OPERATIONS,
  type Operation,
  type Problem,
  redactText,
  type Schema,
  type SourceKind,
  shown,
  sourceKinds,
  tokenOperation,
  unknownName,
  variantsOf,
} from "../../contract/index.ts";
import { sandboxKey } from "../../state/index.ts";
import { type Match, pathConditions, scenarioName, TOKEN } from "./match-schema.ts";
import type { Matchable } from "./matcher.ts";
import { PROJECT_KEY, plainKey } from "./paths.ts";
import { isAbsent, isContains, isPattern } from "./pattern.ts";

/** The operations that a match or rule can apply to. Each condition and effect narrows them. */
export interface Candidates {
  operations: readonly Operation[];
  readonly addresses: Addresses;
  readonly problems: Problem[];
  /** Whether requests without an operation (404, 405) can match too. The journal has them, but rules do not apply to them. */
  readonly includesUnknown?: boolean;
  /** The project whose requests are compared; undefined for all projects. */
  readonly projectKey?: string | undefined;
  /** The recorded requests of the project. They can be those of another project, whose archive the project has got. */
  readonly requests?: () => Iterable<Pick<Matchable, "pathParameters">>;
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
  const { operation, method, source } = match;
  const { whole, parameters } = pathConditions(match.path);
  const names = Object.keys(parameters);
  if (operation !== undefined) {
    const isIt = ({ id }: Operation) => id === operation;
    keepOperations(candidates, isIt, "/operation", (known) => {
      const ids = known.map(({ id }) => id);
      const expected = ids.length > MAX_NAMED_OPERATIONS ? "the id of an operation" : `one of ${ids.join(", ")}`;
      return `expected ${expected}, found ${shown(operation)}.${didYouMean(operation, ids)}`;
    });
  }
  for (const name of names) {
    const hasIt = (each: Operation) => pathParameters(each).includes(name);
    keepOperations(candidates, hasIt, join("/path", name), (before) =>
      unknownName("path parameter", name, [...new Set(before.flatMap(pathParameters))]),
    );
  }
  const needsBody = "body" in match && !isAbsent(match.body);
  if (needsBody) {
    const hasBody = ({ body }: Operation) => body !== undefined;
    const message = "expected no body condition, as this operation accepts no body";
    keepOperations(candidates, hasBody, "/body", () => message);
    const schemas = candidates.operations.flatMap(({ body }) => body?.schema ?? []);
    checkArrays(match.body, schemas, "/body", problems);
  }
  const isOfOperation = operation !== undefined || names.length > 0 || needsBody || !candidates.includesUnknown;
  if (method !== undefined) checkMethod(method, candidates, isOfOperation);
  if (typeof whole === "string") checkPath(whole, candidates, isOfOperation);
  checkProject(match, candidates);
  if (source !== undefined) checkSource(source, operations, problems);
}

function pathParameters({ parameters }: Operation): string[] {
  return parameters.flatMap((parameter) => (parameter.in === "path" ? parameter.name : []));
}

const methodName = new RegExp(TOKEN);

/** Validates the method. A request without an operation can have any method. */
function checkMethod(method: string, candidates: Candidates, isOfOperation: boolean): void {
  const { problems } = candidates;
  if (!methodName.test(method)) {
    problems.push({ pointer: "/method", message: `expected a method, such as POST, found ${shown(method)}` });
  } else if (isOfOperation) {
    const hasIt = (operation: Operation) => operation.method === method.toUpperCase();
    keepOperations(candidates, hasIt, "/method", (known) => {
      const methods = anyOf(new Set(known.map((operation) => operation.method)));
      return `expected ${methods} (the method of ${anyOf(known.map(({ id }) => id))}), found ${shown(method)}`;
    });
  }
}

/** Matches the placeholders of templates: `{id}`, `:id`, and `*` or `.*` for a part of the path. */
const placeholder = /\{[\w-]*\}|\/:[A-Za-z_]\w*(?=\/|$)|\/\*+(?=\/)|\*\*$|\.\*/;

function checkPath(path: string, candidates: Candidates, isOfOperation: boolean): void {
  const { operations, problems, includesUnknown, projectKey = "my-project" } = candidates;
  const own = `/${plainKey(projectKey)}`;
  const isSandbox = own !== `/${projectKey}`;
  const expected = (what: string, hint = "") => `expected ${what}, found ${shown(redactText(path))}.${hint}`;
  const report = (what: string, hint?: string) => problems.push({ pointer: "/path", message: expected(what, hint) });
  if (!path.startsWith("/")) report("a path that starts with /");
  else if (path.includes("?")) report("a path without a query", " Write a ? in the path as %3F.");
  else if (placeholder.test(path.replace(own, ""))) {
    const hint = ' A path has no placeholders. Write * at its end for any rest, or path parameters: { "id": "42" }.';
    report("the path of a request", hint);
  } else if (!isOfProject(path, candidates)) {
    report(`a path of the project, such as ${own}/resource`, isSandbox ? " Leave out the sandbox." : "");
  } else if (isOfOperation) {
    const [first, ...others] = operations;
    const paths = others.length === 0 ? first?.path.replace(`/{${PROJECT_KEY}}`, own) : "a path of an operation";
    const forRules = includesUnknown ? "" : " Rules apply to requests of operations only.";
    const hint = path.endsWith("/") ? " No operation has a path that ends with /." : forRules;
    keepOperations(
      candidates,
      (each) => pathsBelow(path, candidates).some((below) => canHavePath(each, below)),
      "/path",
      () => expected(`${paths}`, hint),
    );
  }
}

/** Returns what can be the path of an operation in a path: without a project and a base path, if the operations have none. */
function pathsBelow(path: string, { addresses, projectKey }: Candidates): string[] {
  const { project, basePaths, isStrict } = addresses;
  const whole = isStrict || path === "/" ? path : path.replace(/\/$/, "");
  if (project !== undefined) return [whole];
  const start = projectKey === undefined ? /^\/[^/]+(?=\/)/.exec(whole)?.[0] : `/${plainKey(projectKey)}`;
  const withoutProject = start !== undefined && whole.startsWith(`${start}/`) ? [whole.slice(start.length)] : [];
  const below = [whole, ...withoutProject];
  return [
    ...below,
    ...basePaths.flatMap((base) => below.map((each) => (each.startsWith(base) ? each.slice(base.length) : each))),
  ];
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
    const sent = decodedPath(segments[index] ?? "");
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
  if (candidates.addresses.project === undefined && own === `/${DEFAULT_PROJECT}`) return true;
  const isPrefix = path.endsWith("*");
  const isOwn = (text: string) => `${text}/`.startsWith(`${own}/`) || (isPrefix && own.startsWith(text));
  const text = isPrefix ? path.slice(0, -1) : path;
  return isOwn(text) || isOwn(decodedPath(text)) || hasOthers(candidates);
}

/** Returns whether the journal has requests of another project, whose archive the project has got. */
function hasOthers({ projectKey = "", requests }: Candidates): boolean {
  const own = plainKey(projectKey);
  const keys = Iterator.from(requests?.() ?? []).map(({ pathParameters }) => pathParameters[PROJECT_KEY] ?? own);
  return keys.some((key) => plainKey(key) !== own);
}

/** Matches a pattern for paths that start with a key. Other patterns can match keys in many ways. */
const patternOfKey = /^\^\\?(\/[\w~-]+)\\?\/(?![?*{])[^|]*$/;

/** Reports conditions that name another project or sandbox than that of the requests. `checkPath` checks the whole path. */
function checkProject({ operation, path, headers = {} }: Match, candidates: Candidates): void {
  const { projectKey, problems } = candidates;
  if (projectKey === undefined) return;
  const own = plainKey(projectKey);
  const { matches = "", [PROJECT_KEY]: key = own } = typeof path === "object" ? path : {};
  const [, start] = patternOfKey.exec(String(matches)) ?? [];
  const named = [
    ["/path/matches", start && `${start}/*`],
    [join("/path", PROJECT_KEY), isPattern(key) ? undefined : `/${key}`],
  ] as const;
  for (const [pointer, path] of named) {
    if (path === undefined || isOfProject(path, candidates)) continue;
    problems.push({ pointer, message: `expected the project ${shown(own)}, found ${shown(path)}` });
  }
  // A token request without scopes can belong to a project outside of its sandbox.
  if (operation === tokenOperation.id) return;
  for (const [name, sandbox] of Object.entries(headers)) {
    if (name.toLowerCase() !== "mock-sandbox" || typeof sandbox === "object") continue;
    const selected = sandboxKey(own, String(sandbox));
    if (selected === projectKey || hasOthers(candidates)) continue;
    const hint = `Requests with this header belong to the project ${shown(selected)}.`;
    const message = `expected the sandbox of the project, found ${shown(sandbox)}. ${hint}`;
    problems.push({ pointer: join("/headers", name), message });
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
  const last = operations.findLast(({ id }) => id !== tokenOperation.id)?.id;
  const examples = `scenario:conflict, rule:r-1 or fixture:${last}/200.json`;
  const message = `expected ${anyOf(sourceKinds)}, or a source such as ${examples}, found ${shown(source)}.${hint}`;
  problems.push({ pointer: "/source", message });
}

function anyOf(names: Iterable<string>): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names);
}
