import {
  type Content,
  capitalized,
  delimiterOf,
  type Encoding,
  isJson,
  isObject,
  minimalValue,
  type Operation,
  type Parameter,
  type ResponseRule,
  type Schema,
} from "../contract/index.ts";
import { follow, type Node, textOf } from "./references.ts";
import { lazyMember, type Schemas, type Sender } from "./schemas.ts";
import { securityIn } from "./security.ts";

/** A document, with its schemas as each side sends their values. */
export interface Source {
  readonly document: Node;
  readonly schemas: Readonly<Record<Sender, Schemas>>;
}

const methods = ["get", "head", "post", "put", "patch", "delete", "options", "trace"] as const;

/** Returns the operations of a document, in its order. Schemas are read when they are first needed. */
export function operationsOf(source: Source): Operation[] {
  const ids = new Set<string>();
  const unique = (id: string): string => {
    let found = id;
    for (let number = 2; ids.has(found); number++) found = `${id}${number}`;
    ids.add(found);
    return found;
  };
  const securityOf = securityIn(source.document);
  return eachOperation(source.document).map(({ path, method, item, operation }) => {
    const { operationId, summary = "", description, tags, requestBody, responses = {} } = operation;
    const statuses = Object.entries(responses as Node).filter(([status]) => !status.startsWith("x-"));
    return {
      id: unique((operationId as string) || idOf(method, path)),
      method: method.toUpperCase() as Operation["method"],
      path,
      summary: summary as string,
      ...(description !== undefined && { description: description as string }),
      tag: listOf(tags)[0] ?? "",
      parameters: parametersOf(source, item, operation),
      ...(requestBody !== undefined && { body: bodyOf(source, method, follow(source.document, requestBody)) }),
      responses: Object.fromEntries(
        statuses.map(([status, node]) => [status, responseOf(source, follow(source.document, node))]),
      ),
      security: securityOf(operation),
    };
  });
}

interface DocumentedOperation {
  readonly path: string;
  readonly method: (typeof methods)[number];
  readonly item: Node;
  readonly operation: Node;
}

export function eachOperation({ paths }: Node): DocumentedOperation[] {
  return membersOf(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = path.startsWith("/") && item[method];
      return isObject(operation) ? [{ path, method, item, operation }] : [];
    }),
  );
}

/** Returns the id of an operation that has none: `getPetsByPetIdToys` for `GET /pets/{petId}/toys`. */
function idOf(method: string, path: string): string {
  const words = path.replace(/\{([^}]*)\}/g, " by $1 ").match(/[\p{L}\p{N}]+/gu) ?? [];
  return method + words.map(capitalized).join("");
}

const defaultStyles = { path: "simple", header: "simple", query: "form", cookie: "form" } as const;

/** Headers that are no parameters (OpenAPI 3.1, 4.8.12.2.1). */
const otherHeaders = /^(accept|content-type|authorization)$/i;

function parametersOf({ document, schemas }: Source, item: Node, operation: Node): Parameter[] {
  const named = new Map<string, Parameter>();
  for (const node of [item, operation].flatMap(({ parameters }) => listOf<Node>(parameters))) {
    const {
      in: place,
      name,
      required = false,
      description,
      ...own
    } = follow(document, node) as unknown as Parameter & Node;
    if (!Object.hasOwn(defaultStyles, place) || (place === "header" && otherHeaders.test(name))) continue;
    const [media] = membersOf(own.content);
    const { style = defaultStyles[place], explode = style === "form" } = own as { style?: "form"; explode?: boolean };
    const parameter = {
      in: place,
      name,
      required,
      serialization: media ? { mediaType: media[0] } : { style, explode },
      ...(description !== undefined && { description }),
    };
    const written = own.schema ?? media?.[1].schema ?? {};
    const withEmpty = { true: { anyOf: [written, { const: "" }] }, false: { allOf: [written, { minLength: 1 }] } };
    const narrowed = place === "query" ? withEmpty[String(own.allowEmptyValue) as "true"] : undefined;
    const schema = () => schemas.client.of(narrowed ?? written);
    named.set(`${place} ${name}`, lazyMember(parameter, "schema", schema) as Parameter);
  }
  return [...named.values()];
}

function bodyOf({ schemas, document }: Source, method: string, { required, content }: Node): Operation["body"] {
  const media = membersOf(content).map(([type, node]) => [type.toLowerCase(), follow(document, node)] as const);
  const [first] = [...media].sort(jsonFirst);
  const encoding = media.find(([, node]) => node.encoding)?.[1].encoding as Record<string, Encoding> | undefined;
  // Most clients cannot send a body with GET (RFC 9110, 9.3.1).
  const isRequired = required === true && method !== "get" && method !== "head";
  const body = { required: isRequired, mediaTypes: media.map(([type]) => type), ...(encoding && { encoding }) };
  const schemaOf = ({ schema = {} }: Node) => schemas.client.of(schema);
  if (first?.[1].schema !== undefined) lazyMember(body, "schema", () => schemaOf(first[1]));
  return lazyMember(body, "schemas", () => Object.fromEntries(media.map(([type, node]) => [type, schemaOf(node)])));
}

function jsonFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return Number(isJson(b)) - Number(isJson(a));
}

function responseOf(source: Source, { description = "", headers, content }: Node): ResponseRule {
  const { document } = source;
  const [first, ...others] = membersOf(content)
    .sort(jsonFirst)
    .map(([type, node]) => contentOf(source, type, follow(document, node)));
  const named = membersOf(headers)
    .filter(([name]) => !/^content-(type|length)$/i.test(name))
    .map(([name, node]) => [name, follow(document, node)] as const);
  const rule = Object.defineProperties({}, first ? Object.getOwnPropertyDescriptors(first) : {});
  Object.assign(rule, { description }, others.length > 0 && { alternatives: others });
  if (named.length === 0) return rule as ResponseRule;
  Object.assign(rule, {
    headers: Object.fromEntries(named.map(([name, { description: meaning = "" }]) => [name, meaning])),
  });
  const headerValues = () => Object.fromEntries(named.map(([name, node]) => [name, headerValueOf(source, node)]));
  return lazyMember(rule, "headerValues", headerValues) as ResponseRule;
}

function contentOf(
  { document, schemas }: Source,
  mediaType: string,
  { schema = {}, example, examples }: Node,
): Content {
  const { $ref = "" } = schema as Node;
  const name = textOf($ref).split("/").at(-1);
  const content: Content = lazyMember({ mediaType, ...(name && { name }) }, "schema", () => schemas.service.of(schema));
  const named = membersOf(examples).map(([name, node]) => [name, follow(document, node).value]);
  const own = [["default", example], ...named].filter(([, value]) => value !== undefined);
  if (own.length > 0) return Object.assign(content, { examples: Object.fromEntries(own) });
  return lazyMember(content, "examples", () => {
    const [first] = content.schema?.examples ?? [];
    return first === undefined ? {} : { schema: first };
  });
}

/** Returns a value of a header, as the style `simple` writes it (OpenAPI 3.1, 4.8.21). */
function headerValueOf({ document, schemas }: Source, header: Node): string {
  const { content, explode, style } = header as Node & { style?: string };
  const [media] = membersOf(content);
  const { schema, example, examples } = media ? follow(document, media[1]) : header;
  const own = schemas.service.of(schema ?? {});
  const [named] = membersOf(examples);
  const value = example ?? (named && follow(document, named[1]).value) ?? own.examples?.[0] ?? smallValue(own);
  if (media) return headerText(JSON.stringify(value));
  if (!isObject(value)) return headerText([value].flat().join(delimiterOf(style)));
  const pairs = Object.entries(value).map((pair) => pair.join(explode === true ? "=" : ","));
  return headerText(pairs.join(","));
}

/** Returns a small value; a text has at least a character, as headers can hardly be empty. */
function smallValue(schema: Schema): unknown {
  const value = minimalValue(schema);
  return value === "" ? "value" : value;
}

function headerText(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, "?")
    .slice(0, 1000)
    .trim();
}

/** Returns the members of an object of a document, which are objects; none if there is no object. */
function membersOf(node: unknown): [name: string, member: Node][] {
  return Object.entries((node ?? {}) as Record<string, Node>);
}

function listOf<Item = string>(node: unknown): readonly Item[] {
  return Array.isArray(node) ? node : [];
}
