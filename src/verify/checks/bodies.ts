import type { Contract, OperationId } from "../../contract/contract.ts";
import { checksFor, type Row } from "../rows.ts";
import type { Check } from "../run.ts";
import { doSomeThing, images, sampleOf } from "../samples.ts";

/** The default limits of the mock (docs/reliability.md), in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

const type = "application/json";

/** Checks that operations reject invalid bodies, and accept valid ones that a service could reject. */
export function bodyChecks(contract: Contract): Check[] {
  const rejects = (id: OperationId, ...rows: Row[]) =>
    checksFor(contract, id, { kind: "contract", expects: 400 }, rows);
  const accepts = (id: OperationId, rows: Readonly<Record<string, Omit<Row, "name">>>) =>
    checksFor(
      contract,
      id,
      { kind: "contract" },
      Object.entries(rows).map(([what, row]) => ({
        name: `accepts ${what}`,
        expected: `The operation accepts ${what}.`,
        ...row,
      })),
    );
  const complex = sampleOf(contract.find("runComplexOperation")?.body?.schema ?? {}) as object;
  return [
    ...rejects("createResource", ...everyJson, ...invalidDrafts, ...unusualJson),
    ...rejects("overwriteResource", ...everyJson, ...invalidDrafts),
    ...rejects("createOrOverwriteResource", ...everyJson, ...invalidDrafts),
    ...rejects("updateResource", ...everyJson, ...invalidUpdates),
    ...rejects("runComplexOperation", ...everyJson, ...invalidComplex(complex)),
    ...rejects("writeNamespaceAction", ...everyJson.slice(0, 2)),
    ...rejects("uploadImage", ...invalidImages),
    ...accepts("createResource", {
      "a draft with few arrays": {
        assumption: "required-fields",
        sends: ({ newName }) => ({ json: { objectTypeProperty: { arrayOfStringExample: [newName()] } } }),
      },
      "repeated values in arrayOfUniqueIntExample": {
        assumption: "required-fields",
        sends: ({ draft }) => ({ json: draft({ arrayOfUniqueIntExample: [1, 1] }) }),
      },
      "any Unicode text": { sends: ({ draft }) => ({ json: draft({}, "Ünï 𝔘 \u0000 🎉") }) },
      "a content type with a charset": {
        sends: ({ draft }) => ({ body: JSON.stringify(draft()), type: `${type}; charset=utf-8` }),
      },
    }),
    ...accepts("runComplexOperation", {
      "an empty object": { assumption: "required-fields", sends: { json: {} } },
      "a version that is a number": { sends: { json: { ...complex, version: 2 } } },
      "path parameters with encoded characters": {
        sends: { path: { uriParameterOne: "a b/c=d", uriParameterTwo: "ü'\"" } },
      },
    }),
    ...accepts("uploadImage", {
      "a JPEG image": { sends: { body: images["image/jpeg"], type: "image/jpeg" } },
      "a GIF image": { sends: { body: images["image/gif"], type: "image/gif" } },
    }),
    ...accepts("writeNamespaceAction", { "a request without a body": { assumption: "namespace-actions" } }),
  ];
}

const everyJson: readonly Row[] = [
  { name: "malformed JSON is 400", sends: { body: '{"objectTypeProperty":', type } },
  {
    name: "a body that is not application/json is 415",
    assumption: "errors",
    sends: ({ draft }) => ({ body: JSON.stringify(draft()), type: "text/plain" }),
    expects: 415,
  },
  { name: "an empty body is 400", expected: "The operation requires a body.", sends: { body: "", type } },
  { name: "a body that is an array is 400", expected: "The body must be an object.", sends: { json: [] } },
  {
    name: "a body of more than 16 MiB is 413",
    assumption: "errors",
    sends: () => ({ body: Buffer.alloc(MAX_BODY_BYTES + 1, " "), type }),
    expects: 413,
  },
];

function wrongMember(name: string, value: unknown, more: Partial<Row> = {}): Row {
  return {
    name: `${name} with ${JSON.stringify(value)} is 400`,
    expected: `The draft member ${name} violates its type, so the response is 400.`,
    sends: ({ draft }) => ({ json: draft({ [name]: value }) }),
    ...more,
  };
}

const invalidDrafts: readonly Row[] = [
  { name: "a draft without objectTypeProperty is 400", assumption: "required-fields", sends: { json: {} } },
  { name: "objectTypeProperty that is text is 400", sends: { json: { objectTypeProperty: "text" } } },
  wrongMember("arrayOfIntExample", ["1"]),
  wrongMember("arrayOfStringExample", [1]),
  wrongMember("arrayOfObjectType", [{ integerExample: "1" }]),
  wrongMember("arrayOfObjectType", [{ integerExampleInt32: 2147483648 }], { assumption: "types" }),
];

const unusualJson: readonly Row[] = [
  wrongMember("arrayOfFloatExample", ["0.5"]),
  wrongMember("arrayOfTwonumbersExample", [true]),
  wrongMember("arrayOfNumberNoDefaultsExample", "1"),
  wrongMember("arrayOfUniqueIntExample", [1.5]),
  {
    name: "a number that is too large for 64 bits is 400",
    assumption: "types",
    expected: "The number 1e400 returns 400, as no server can return it unchanged.",
    sends: { body: '{"objectTypeProperty":{"arrayOfNumberNoDefaultsExample":[1e400]}}', type },
  },
  {
    name: "JSON with 201 levels is 400",
    assumption: "depth",
    expected: "JSON with more than 200 levels returns 400.",
    sends: { body: `{"objectTypeProperty":{},"deep":${"[".repeat(200)}${"]".repeat(200)}}`, type },
  },
  {
    name: "a body with Content-Encoding: gzip is 415",
    assumption: "encodings",
    sends: ({ draft }) => ({ json: draft(), headers: { "Content-Encoding": "gzip" } }),
    expects: 415,
  },
];

function wrongUpdate(what: string, json: unknown, more: Partial<Row> = {}): Row {
  return { name: `an update with ${what} is 400`, sends: { json }, ...more };
}

const invalidUpdates: readonly Row[] = [
  wrongUpdate("no version", { actions: [doSomeThing] }, { assumption: "required-fields" }),
  wrongUpdate("no actions", { version: 1 }, { assumption: "required-fields" }),
  wrongUpdate("a version that is text", { version: "1", actions: [doSomeThing] }),
  wrongUpdate("actions that are no array", { version: 1, actions: doSomeThing }),
  wrongUpdate("an action that is text", { version: 1, actions: ["doSomeThing"] }),
  wrongUpdate("an action without a name", { version: 1, actions: [{}] }),
  wrongUpdate("someProperty that is a number", {
    version: 1,
    actions: [{ action: "changeSomeProperty", someProperty: 1 }],
  }),
];

function invalidComplex(valid: object): Row[] {
  const wrong = { createdAt: "yesterday", createdBy: { firstName: 1 }, eigthProperty: 8 };
  return Object.entries(wrong).map(([name, value]) => ({
    ...wrongMember(name, value),
    expected: `The member ${name} violates its type, so the response is 400.`,
    sends: { json: { ...valid, [name]: value } },
  }));
}

const invalidImages: readonly Row[] = [
  {
    name: "an image of type image/webp is 415",
    assumption: "images",
    expected: "A content type other than those of JPEG, PNG and GIF returns 415.",
    sends: { body: images["image/png"], type: "image/webp" },
    expects: 415,
  },
  {
    name: "an image whose first bytes are of another type is 400",
    assumption: "images",
    needs: ["accepts a GIF image"],
    sends: { body: images["image/png"], type: "image/gif" },
  },
  { name: "an upload without an image is 400", sends: { body: "", type: "image/png" } },
  {
    name: "an image of more than 10 MiB is 413",
    assumption: "images",
    sends: () => ({
      body: Buffer.concat([images["image/png"], Buffer.alloc(MAX_IMAGE_BYTES, " ")]),
      type: "image/png",
    }),
    expects: 413,
  },
];
