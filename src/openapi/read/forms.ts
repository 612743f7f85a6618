import { isObject, regExpFor } from "../../contract/index.ts";
import { textOf } from "../references.ts";

/**
 * The form of a member. `kind` names the kind of its objects, or the check of its value. `many` is `[]` for a list, `{}` for
 * a map by name, else empty.
 */
export interface Part {
  readonly kind: string;
  readonly many: string;
  readonly check?: Check;
}

/** `read` returns the value, or what it obviously means, or undefined. */
export type Check = readonly [expected: string, read: (value: unknown) => unknown];

const numberIf = (isValid: (value: number) => boolean) => (value: unknown) => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && isValid(number) ? number : undefined;
};
const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isType = (value: unknown) => /^(?:string|number|integer|boolean|object|array|null)$/.test(textOf(value));
const isPattern = (value: unknown) => isText(value) && regExpFor(textOf(value)) !== undefined;
const isTextsByName = (value: unknown) => isObject(value) && Object.values(value).every(isTexts);
const listOf = (isItem: (value: unknown) => boolean) => (value: unknown) =>
  !Array.isArray(value) || value.every(isItem) ? valueIf(Array.isArray)(value) : value.filter(isItem);
const valueIf = (isValid: (value: unknown) => boolean) => (value: unknown) => (isValid(value) ? value : undefined);

const checks: Readonly<Record<string, Check>> = {
  any: ["any value", (value) => value],
  sample: ["any value, or a reference to it", (value) => value],
  text: ["a string", (value) => (typeof value === "object" && value !== null ? undefined : textOf(value ?? ""))],
  boolean: [
    "true or false",
    (value) => (/^(?:true|false)$/.test(textOf(value)) ? textOf(value) === "true" : undefined),
  ],
  number: ["a number", numberIf(Number.isFinite)],
  limit: ["a number", (value) => (typeof value === "boolean" ? value : numberIf(Number.isFinite)(value))],
  count: ["an integer from 0", numberIf((value) => Number.isInteger(value) && value >= 0)],
  positive: ["a number above 0", numberIf((value) => value > 0 && Number.isFinite(value))],
  array: ["an array", valueIf(Array.isArray)],
  values: ["an array with values", valueIf((value) => Array.isArray(value) && value.length > 0)],
  texts: ["an array of strings", listOf(isText)],
  // People write it on a property to require that one, and write patterns.
  names: ["an array of names of properties", listOf((name) => isText(name) && !/^\/.*\/$/.test(name))],
  textsByName: ["an object with arrays of strings", valueIf(isTextsByName)],
  security: ["an array of objects with arrays of strings", listOf(isTextsByName)],
  object: ["an object", valueIf(isObject)],
  types: [
    "string, number, integer, boolean, object, array or null",
    (value) => (Array.isArray(value) ? listOf(isType)(value) : valueIf(isType)(value)),
  ],
  pattern: ["a regular expression of JavaScript", valueIf(isPattern)],
};

export const methods = "get put post delete options head patch trace query".split(" ");

const parameter = `description,style:text deprecated,allowEmptyValue,allowReserved,explode,required:boolean
  schema:schema content:mediaType{} example:sample examples:example{}`;

/** The kinds of objects with their members. Other members are copied as they are. `*` is for all other names. */
const table = `
document paths,webhooks:pathItem{} components:components info:info servers:server[] security:security tags:tag[]
  definitions:schema{} parameters:parameter{} responses:response{} securityDefinitions:securityScheme{}
  consumes,produces:texts
components schemas:schema{} responses:response{} parameters:parameter{} examples:example{} links:link{}
  requestBodies:requestBody{} headers:header{} securitySchemes:securityScheme{} callbacks:callback{}
  pathItems:pathItem{} mediaTypes:mediaType{}
info title,version,description:text
tag name,description:text
server url,description:text variables:object
pathItem ${methods}:operation summary,description:text servers:server[] parameters:parameter[]
operation operationId,summary,description:text tags:texts deprecated:boolean security:security servers:server[]
  parameters:parameter[] consumes,produces:texts requestBody:requestBody responses:response{} callbacks:callback{}
parameter name,in:text ${parameter}
header ${parameter}
requestBody description:text required:boolean content:mediaType{}
response description:text headers:header{} content:mediaType{} links:link{} schema:schema examples:samples
samples *:sample
mediaType schema,itemSchema:schema example:sample examples:example{} encoding:encoding{}
encoding contentType,style:text explode,allowReserved:boolean headers:header{}
example summary,description:text value:sample
discriminator propertyName:text mapping:object
xml name,namespace,prefix:text attribute,wrapped:boolean
link operationId,operationRef,description:text parameters:object server:server
callback *:pathItem
securityScheme type,description,name,in,scheme,openIdConnectUrl:text flows:object
schema title,description,$comment,format,contentEncoding,contentMediaType:text type:types enum:values
  example:sample default,const,externalDocs:any xml:xml discriminator:discriminator required:names examples:array pattern:pattern
  deprecated,readOnly,writeOnly,nullable,uniqueItems:boolean minimum,maximum:number multipleOf:positive
  minLength,maxLength,minItems,maxItems,minContains,maxContains,minProperties,maxProperties:count
  exclusiveMinimum,exclusiveMaximum:limit dependentRequired:textsByName allOf,anyOf,oneOf,prefixItems:schema[]
  items,contains,not,if,then,else,additionalProperties,propertyNames,contentSchema,unevaluatedItems:schema
  unevaluatedProperties:schema properties,patternProperties,dependentSchemas,$defs,definitions:schema{}`;

/** The members of each kind of object, by name. */
export const forms: ReadonlyMap<string, ReadonlyMap<string, Part>> = new Map(
  table.split(/\n(?=\w)/).map((text) => {
    const [kind = "", ...members] = text.trim().split(/\s+/);
    const parts = members.flatMap((member) => {
      const [names = "", part = ""] = member.split(":");
      const [, of = "", many = ""] = /^(\w+)(.*)$/.exec(part) ?? [];
      return names.split(",").map((name): [string, Part] => [name, { kind: of, many, check: checks[of] }]);
    });
    return [kind, new Map(parts)];
  }),
);

/** The kinds of objects that replace the references to them. */
const isReplaced: ReadonlySet<string> = new Set(["pathItem", "mediaType"]);

const sectionsIn = (parent: string) => {
  const sections = [...(forms.get(parent) ?? [])].filter(
    ([, { kind, many }]) => many === "{}" && !isReplaced.has(kind),
  );
  return new Map(sections.toReversed().map(([name, { kind }]) => [kind, name]));
};

const sections = { "2.0": sectionsIn("document"), "3.0": sectionsIn("components"), "3.1": sectionsIn("components") };

/** Returns the name of the member of `components` (Swagger 2.0: of the document) that has objects of a kind. */
export function sectionFor(kind: string, version: keyof typeof sections): string | undefined {
  return sections[version].get(kind);
}

/** The formats of the OpenAPI registry, and of JSON Schema. */
export const knownFormats = new Set(
  `int8 int16 int32 int64 uint8 uint16 uint32 uint64 double-int float double decimal decimal128 byte binary base64url char
  commonmark html password media-range http-date date date-time date-time-local time time-local duration email idn-email
  hostname idn-hostname ipv4 ipv6 uri url uri-reference iri iri-reference uri-template json-pointer relative-json-pointer
  regex uuid`.split(/\s+/),
);
