import type { Contract, OperationId } from "../../../contract/index.ts";
import { checksFor, type Row } from "../rows.ts";
import type { Check } from "../run.ts";
import { doSomeThing, images, sampleOf } from "../samples.ts";

/** No default limit of the mock is higher (docs/limits.md), in bytes. */
const LARGE_BODY_BYTES = 16 * 1024 * 1024;
const LARGE_IMAGE_BYTES = 10 * 1024 * 1024;

const type = "application/json";

/** Checks that operations reject invalid bodies, and accept valid ones that a service could reject. */
export function bodyChecks(contract: Contract): Check[] {
  const complex = sampleOf(contract.find("runComplexOperation")?.body?.schema ?? {}) as object;
  const rows: { readonly [Id in OperationId]?: readonly Row[] } = {
    createResource: [...everyJson, ...invalidDrafts, ...unusualJson, ...acceptedDrafts],
    overwriteResource: [...everyJson, ...invalidDrafts],
    createOrOverwriteResource: [...everyJson, ...invalidDrafts],
    updateResource: [...everyJson, ...invalidUpdates],
    runComplexOperation: [
      ...everyJson,
      wrong("createdAt", "yesterday", complex),
      wrong("createdBy", { firstName: 1 }, complex),
      wrong("eigthProperty", 8, complex),
      { name: "accepts an empty object", assumption: "required-fields", sends: { json: {} } },
      { name: "accepts a version that is a number", sends: { json: { ...complex, version: 2 } } },
      { name: "accepts path parameters with encoded characters", sends: { path: encodedPath } },
    ],
    uploadImage: imageRows,
    writeNamespaceAction: [
      ...everyJson.slice(0, 2),
      { name: "accepts a request without a body", assumption: "namespace-actions" },
    ],
  };
  return contract.ids.flatMap((id) => checksFor(contract, id, { kind: "contract" }, rows[id] ?? []));
}

const encodedPath = { uriParameterOne: "a b/c=d", uriParameterTwo: "ü'\"" };

const acceptedDrafts: readonly Row[] = [
  {
    name: "accepts a draft with few arrays",
    assumption: "required-fields",
    sends: ({ newName }) => ({ json: { objectTypeProperty: { arrayOfStringExample: [newName()] } } }),
  },
  {
    name: "accepts repeated values in arrayOfUniqueIntExample",
    assumption: "required-fields",
    sends: ({ draft }) => ({ json: draft({ arrayOfUniqueIntExample: [1, 1] }) }),
  },
  { name: "accepts any Unicode text", sends: ({ draft }) => ({ json: draft({}, "Ünï 𝔘 \u0000 🎉") }) },
  {
    name: "accepts a content type with a charset",
    sends: ({ draft }) => ({ json: draft(), type: `${type}; charset=utf-8` }),
  },
];

const everyJson: readonly Row[] = [
  { name: "malformed JSON is 400", sends: { body: '{"objectTypeProperty":', type } },
  {
    name: "a body that is not application/json is 415",
    assumption: "errors",
    sends: ({ draft }) => ({ json: draft(), type: "text/plain" }),
  },
  { name: "an empty body is 400", expected: "The operation requires a body.", sends: { body: "", type } },
  { name: "a body that is an array is 400", expected: "The body must be an object.", sends: { json: [] } },
  {
    name: "a body of more than 16 MiB is 413",
    assumption: "errors",
    sends: () => ({ body: Buffer.alloc(LARGE_BODY_BYTES + 1, " "), type }),
  },
];

/** Returns a body with a member that violates its type: a draft unless another body is given. */
function wrong(name: string, value: unknown, body?: object): Row {
  return {
    name: `${name} with ${JSON.stringify(value)} is 400`,
    expected: `The member ${name} violates its type, so the response is 400.`,
    sends: ({ draft }) => ({ json: body ? { ...body, [name]: value } : draft({ [name]: value }) }),
  };
}

const invalidDrafts: readonly Row[] = [
  { name: "a draft without objectTypeProperty is 400", assumption: "required-fields", sends: { json: {} } },
  { name: "objectTypeProperty that is text is 400", sends: { json: { objectTypeProperty: "text" } } },
  wrong("arrayOfIntExample", ["1"]),
  wrong("arrayOfStringExample", [1]),
  wrong("arrayOfObjectType", [{ integerExample: "1" }]),
  { ...wrong("arrayOfObjectType", [{ integerExampleInt32: 2147483648 }]), assumption: "types" },
];

const unusualJson: readonly Row[] = [
  wrong("arrayOfFloatExample", ["0.5"]),
  wrong("arrayOfTwonumbersExample", [true]),
  wrong("arrayOfNumberNoDefaultsExample", "1"),
  wrong("arrayOfUniqueIntExample", [1.5]),
  {
    name: "a number that is too large for 64 bits is 400",
    assumption: "types",
    sends: { body: '{"objectTypeProperty":{"arrayOfNumberNoDefaultsExample":[1e400]}}', type },
  },
  {
    name: "JSON with 201 levels is 400",
    assumption: "depth",
    sends: { body: `{"objectTypeProperty":{},"deep":${"[".repeat(200)}${"]".repeat(200)}}`, type },
  },
  {
    name: "a body with Content-Encoding: gzip is 415",
    assumption: "encodings",
    sends: ({ draft }) => ({ json: draft(), headers: { "Content-Encoding": "gzip" } }),
  },
];

function update(what: string, json: object, assumption?: Row["assumption"]): Row {
  return { name: `an update with ${what} is 400`, assumption, sends: { json } };
}

const invalidUpdates: readonly Row[] = [
  update("no version", { actions: [doSomeThing] }, "required-fields"),
  update("no actions", { version: 1 }, "required-fields"),
  update("a version that is text", { version: "1", actions: [doSomeThing] }),
  update("actions that are no array", { version: 1, actions: doSomeThing }),
  update("an action that is text", { version: 1, actions: ["doSomeThing"] }),
  update("an action without a name", { version: 1, actions: [{}] }),
  update("someProperty that is a number", { version: 1, actions: [{ action: "changeSomeProperty", someProperty: 1 }] }),
];

const png = images["image/png"];

const imageRows: readonly Row[] = [
  { name: "accepts a JPEG image", sends: { body: images["image/jpeg"], type: "image/jpeg" } },
  { name: "accepts a GIF image", sends: { body: images["image/gif"], type: "image/gif" } },
  { name: "an upload without an image is 400", sends: { body: "", type: "image/png" } },
  { name: "an image of type image/webp is 415", assumption: "images", sends: { body: png, type: "image/webp" } },
  {
    name: "an image whose first bytes are of another type is 400",
    assumption: "images",
    needs: ["accepts a GIF image"],
    sends: { body: png, type: "image/gif" },
  },
  {
    name: "an image of more than 10 MiB is 413",
    assumption: "images",
    sends: () => ({ body: Buffer.concat([png, Buffer.alloc(LARGE_IMAGE_BYTES, " ")]), type: "image/png" }),
  },
];
