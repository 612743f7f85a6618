import { isObject } from "../../contract/index.ts";
import { follow, type Node, textOf } from "../references.ts";
import { forms, methods } from "./forms.ts";

/* Swagger 2.0 in the form of OpenAPI 3. */

const JSON_TYPE = "application/json";
const MULTIPART = "multipart/form-data";
const FORM = "application/x-www-form-urlencoded";

/** The styles of `collectionFormat`. OpenAPI 3 has none for tabs, and no `multi` outside of queries and forms. */
const styles: Readonly<Record<string, object>> = {
  csv: { explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
};

const flows: Readonly<Record<string, string>> = { application: "clientCredentials", accessCode: "authorizationCode" };

/** Returns a parameter or header whose keywords are in a schema. */
export function withSchema(parameter: Node): Node {
  const { collectionFormat = "csv", ...others } = parameter;
  const { own = [], schema = [] } = Object.groupBy(Object.entries(others), ([name]) =>
    forms.get("parameter")?.has(name) ? "own" : "schema",
  );
  const style = others.type === "array" ? styles[textOf(collectionFormat)] : undefined;
  return { ...Object.fromEntries(own), ...style, schema: Object.fromEntries(schema) };
}

/** Returns the document in the form of OpenAPI 3. Shared parameters and responses become parts of the operations. */
export function upgraded(document: Node): Node {
  const { swagger, host, basePath, schemes, consumes, produces, ...others } = document;
  const { definitions = {}, parameters, responses, securityDefinitions = {}, paths = {}, ...rest } = others;
  const items = Object.entries(paths as Record<string, Node>);
  const securitySchemes = Object.entries(securityDefinitions as Record<string, Node>);
  return {
    ...rest,
    ...((host ?? basePath) !== undefined && { servers: serversOf(document) }),
    paths: Object.fromEntries(items.map(([path, item]) => [path, isObject(item) ? itemOf(document, item) : item])),
    components: {
      schemas: definitions,
      securitySchemes: Object.fromEntries(securitySchemes.map(([name, scheme]) => [name, securityOf(scheme)])),
    },
  };
}

function serversOf({ host = "", basePath = "", schemes }: Node): object[] {
  const path = textOf(basePath).replace(/^\/*/, "/");
  if (host === "") return [{ url: path }];
  const all = Array.isArray(schemes) && schemes.length > 0 ? schemes : ["http"];
  return all.map((scheme) => ({ url: `${textOf(scheme)}://${textOf(host)}${path}` }));
}

function securityOf(definition: Node): Node {
  const { type, flow = "implicit", authorizationUrl, tokenUrl, scopes = {}, ...others } = definition;
  if (type === "basic") return { ...others, type: "http", scheme: "basic" };
  if (type !== "oauth2") return definition;
  const urls = {
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
  };
  return { ...others, type, flows: { [flows[textOf(flow)] ?? textOf(flow)]: { ...urls, scopes } } };
}

function itemOf(document: Node, item: Node): Node {
  const shared = parametersOf(document, item);
  const operations = methods.filter((method) => isObject(item[method]));
  return {
    ...item,
    parameters: shared.filter((parameter) => !isBody(parameter)),
    ...Object.fromEntries(
      operations.map((method) => [method, operationOf(document, item[method] as Node, shared.filter(isBody))]),
    ),
  };
}

function parametersOf(document: Node, { parameters = [] }: Node): Node[] {
  return (parameters as Node[]).map((parameter) => follow(document, parameter));
}

function isBody({ in: place }: Node): boolean {
  return place === "body" || place === "formData";
}

function operationOf(document: Node, operation: Node, shared: readonly Node[]): Node {
  const { consumes = document.consumes, produces = document.produces, schemes, responses = {}, ...others } = operation;
  const parameters = parametersOf(document, operation);
  const bodies = new Map([...shared, ...parameters.filter(isBody)].map((each) => [`${each.in} ${each.name}`, each]));
  const sent = bodyOf([...bodies.values()], listOf(consumes));
  const entries = Object.entries(responses as Record<string, Node>);
  return {
    ...others,
    parameters: parameters.filter((parameter) => !isBody(parameter)),
    ...(sent && { requestBody: sent }),
    responses: Object.fromEntries(
      entries.map(([status, response]) => [status, responseOf(follow(document, response), produces)]),
    ),
  };
}

function listOf(types: unknown): readonly string[] {
  return Array.isArray(types) && types.length > 0 ? types : [JSON_TYPE];
}

/** Returns the body that the parameters in `body` or `formData` describe; undefined without such parameters. */
function bodyOf(parameters: readonly Node[], consumes: readonly string[]): Node | undefined {
  const body = parameters.findLast((parameter) => parameter.in === "body");
  if (body) {
    const { description = "", required = false, schema = {} } = body;
    return { description, required, content: Object.fromEntries(consumes.map((type) => [type, { schema }])) };
  }
  if (parameters.length === 0) return undefined;
  const hasFile = parameters.some(({ schema }) => isFile(schema));
  const usual = hasFile ? [MULTIPART] : [FORM, MULTIPART];
  const types = consumes.filter((type) => type.startsWith(MULTIPART) || (type.startsWith(FORM) && !hasFile));
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      parameters.map(({ name, schema: own = {}, allowEmptyValue }) => {
        if (allowEmptyValue === true) return [name, { anyOf: [own, { const: "" }] }];
        return [name, allowEmptyValue === false ? { allOf: [own, { minLength: 1 }] } : own];
      }),
    ),
    ...(required.length > 0 && { required }),
  };
  const lists = parameters.filter(({ explode }) => explode !== undefined);
  const encoding = Object.fromEntries(lists.map(({ name, style = "form", explode }) => [name, { style, explode }]));
  const media = { schema, encoding };
  const content = Object.fromEntries((types.length > 0 ? types : usual).map((type) => [type, media]));
  return { required: required.length > 0, content };
}

function isFile(schema: unknown): boolean {
  return isObject(schema) && schema.format === "binary";
}

/** Returns a response with a content for each media type. Its examples have media types as their names. */
function responseOf({ schema, examples = {}, ...others }: Node, declared: unknown): Node {
  const samples = Object.entries(examples as Node);
  const named = samples.map(([name]) => name).filter((name) => name.includes("/"));
  const produces = schema === undefined && !Array.isArray(declared) && named.length > 0 ? named : listOf(declared);
  if (schema === undefined && samples.length === 0) return others;
  const bytes = produces.filter((type) => !/json|\/xml/.test(type));
  const types = !isFile(schema) ? produces : bytes.length > 0 ? bytes : ["application/octet-stream"];
  const content: Record<string, Node> = Object.fromEntries(types.map((type) => [type, schema ? { schema } : {}]));
  for (const [name, value] of samples) {
    const [first = JSON_TYPE] = types;
    const type = name.includes("/") ? (types.find((each) => each.split(";", 1)[0] === name) ?? name) : first;
    content[type] = { ...(schema !== undefined && { schema }), ...content[type], example: value };
  }
  return { ...others, content };
}
