import { isJson, isObject, type Operation, successStatus } from "../../contract/index.ts";
import { follow, type Node } from "../references.ts";

/** An operation, with the schemas of the document that its role depends on. */
export interface Documented {
  readonly operation: Operation;
  readonly path: Path;
  /** The path without the project. */
  readonly written: string;
  /** The names of its path parameters, without the project, in the order of the path. */
  readonly parameters: readonly string[];
  /** The query parameters of the document. */
  readonly query: readonly Node[];
  /** The schemas of its path parameters, by their names. */
  readonly inPath: ReadonlyMap<unknown, unknown>;
  readonly hasBody: boolean;
  readonly body: unknown;
  /** The status and the schema of a success. */
  readonly status: number;
  readonly returned: unknown;
}

/** A segment of a path: a literal text, or how many parameters it has. */
interface Segment {
  readonly text: string;
  readonly parameters: number;
}

/** A path below the project. Paths that differ only in the names of parameters are one. */
export interface Path {
  readonly shape: string;
  readonly segments: readonly Segment[];
  readonly operations: Map<string, Documented>;
  /** The last literal segment. */
  readonly word: string;
}

/** Returns the paths of a document by their shapes: `/users/{}/posts`. `nodes` are those of the operations, in their order. */
export function pathsOf(
  document: Node,
  operations: readonly Operation[],
  nodes: readonly { readonly item: Node; readonly operation: Node }[],
  project: string | undefined,
): ReadonlyMap<string, Path> {
  const paths = new Map<string, Path>();
  for (const [index, operation] of operations.entries()) {
    const { item = {}, operation: node = {} } = nodes[index] ?? {};
    const written = writtenPath(operation.path, project);
    const segments = segmentsOf(written);
    const shape = shapeOf(segments);
    const word = segments.findLast(({ parameters }) => parameters === 0)?.text ?? "";
    const path = paths.get(shape) ?? { shape, segments, operations: new Map(), word };
    paths.set(shape, path);
    const body = follow(document, node.requestBody);
    const status = operation.method === "POST" && operation.responses[201] ? 201 : successStatus(operation);
    const listed = [item.parameters, node.parameters].flatMap((each) => (Array.isArray(each) ? each : []));
    const declared = listed.map((each) => follow(document, each));
    const inPath = declared.filter((each) => each.in === "path").map(({ name, schema }) => [name, schema] as const);
    const documented: Documented = {
      operation,
      path,
      written,
      parameters: namesIn(written),
      query: declared.filter((each) => each.in === "query"),
      inPath: new Map(inPath),
      hasBody: node.requestBody !== undefined,
      body: schemaIn(document, body.content),
      status,
      returned: schemaIn(document, responseIn(document, node.responses, status).content),
    };
    if (!path.operations.has(operation.method)) path.operations.set(operation.method, documented);
  }
  return paths;
}

/** Returns the path without the project. */
export function writtenPath(path: string, project: string | undefined): string {
  return project === undefined ? path : path.replace(`/{${project}}`, "");
}

export function namesIn(path: string): string[] {
  return Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name);
}

/** Returns the segments of a path. A key in brackets is one of its own (OData: `/Pets({id})`), an extension is left out. */
function segmentsOf(path: string): Segment[] {
  const plainPath = path.replace(/[?#].*$/s, "").replace(/\(([^()]*\{[^()]*)\)/g, "/$1");
  const texts = plainPath.split("/").filter((text) => text !== "");
  return texts.map((text) => ({
    text: text.replace(/\.(json|xml)$/, "").replace(/\{[^{}]*\}/g, "{}"),
    parameters: namesIn(text).length,
  }));
}

export function shapeOf(segments: readonly Segment[]): string {
  return segments.map(({ text }) => `/${text}`).join("");
}

function responseIn(document: Node, responses: unknown, status: number): Node {
  if (!isObject(responses)) return {};
  return follow(document, responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default);
}

/** Returns the schema of a content: that of JSON, else the first one. */
function schemaIn(document: Node, content: unknown): unknown {
  const types = isObject(content) ? Object.keys(content) : [];
  const type = types.find(isJson) ?? types[0];
  if (type === undefined) return undefined;
  const { schema, example, examples } = follow(document, (content as Node)[type]);
  const [first] = isObject(examples) ? Object.values(examples) : [];
  const value = example ?? follow(document, first).value;
  const keywords = ["$ref", "properties", "items", "allOf", "oneOf", "anyOf"];
  const says = isObject(schema) && keywords.some((each) => each in schema);
  return says || !isObject(value) ? schema : schemaOf(value);
}

function schemaOf(value: unknown): Node {
  if (Array.isArray(value)) return { type: "array", items: schemaOf(value[0]) };
  if (isObject(value)) {
    const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schemaOf(member)]));
    return { type: "object", properties };
  }
  if (value === undefined || value === null) return {};
  return { type: Number.isInteger(value) ? "integer" : typeof value };
}
