import type { Contract, OperationId } from "../../contract/contract.ts";
import type { Check } from "../check.ts";
import { claim } from "../outcome.ts";
import type { Sent } from "../requests.ts";
import type { Draft, Service } from "../service.ts";
import { checksFor, type Definition, nameOf } from "./define.ts";
import { complexBody, images, sendValid } from "./valid.ts";

/** The default limits of the mock (docs/reliability.md), in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

let spaces: Buffer | undefined;

/** Returns a text of this many spaces, at most 16 MiB and 1 byte. All checks share its memory. */
function spacesOf(length: number): Buffer {
  spaces ??= Buffer.alloc(MAX_BODY_BYTES + 1, " ");
  return spaces.subarray(0, length);
}

/** A request with an invalid body. */
interface Invalid extends Pick<Definition, "claim" | "row" | "kind" | "expected" | "needs"> {
  readonly status?: number;
  sent(service: Service): Sent;
}

const json = "application/json";

const drafts: readonly OperationId[] = ["createResource", "overwriteResource", "createOrOverwriteResource"];

/** Checks that operations reject invalid bodies. */
export function bodyChecks(contract: Contract): Check[] {
  return [
    ...drafts.flatMap((id) => rejections(contract, id, [...everyJson, ...invalidDrafts])),
    ...rejections(contract, "createResource", unusualJson),
    ...rejections(contract, "updateResource", [...everyJson, ...invalidUpdates]),
    ...rejections(contract, "runComplexOperation", [...everyJson, ...invalidComplex]),
    ...rejections(contract, "writeNamespaceAction", everyJson.slice(0, 2)),
    ...rejections(contract, "uploadImage", invalidImages),
    ...acceptances(contract),
  ];
}

function rejections(contract: Contract, id: OperationId, rows: readonly Invalid[]): Check[] {
  return checksFor(
    contract,
    id,
    rows.map(({ status: expectedStatus = 400, sent, ...row }) => ({
      ...row,
      claim: `${row.claim} is ${expectedStatus}`,
      async attempt(service) {
        const { status, seen } = await sendValid(service, id, sent(service));
        claim(status === expectedStatus, seen);
        return seen;
      },
    })),
  );
}

const everyJson: readonly Invalid[] = [
  {
    claim: "malformed JSON",
    kind: "contract",
    expected: "A body that is not JSON returns 400.",
    sent: () => ({ body: '{"objectTypeProperty":', type: json }),
  },
  {
    claim: "a body that is not application/json",
    row: "errors",
    status: 415,
    expected: "A body with another content type returns 415.",
    sent: ({ draft }) => ({ body: JSON.stringify(draft()), type: "text/plain" }),
  },
  {
    claim: "an empty body",
    kind: "contract",
    expected: "The operation requires a body, so a request without one returns 400.",
    sent: () => ({ body: "", type: json }),
  },
  {
    claim: "a body that is an array",
    kind: "contract",
    expected: "The body must be an object, so an array returns 400.",
    sent: () => ({ json: [] }),
  },
  {
    claim: "a body of more than 16 MiB",
    row: "errors",
    status: 413,
    expected: "A JSON body of more than 16 MiB returns 413.",
    sent: () => ({ body: spacesOf(MAX_BODY_BYTES + 1), type: json }),
  },
];

/** Returns a draft with one member of `objectTypeProperty`. */
function withMember(service: Service, name: string, value: unknown): Draft {
  const draft = service.draft();
  return { ...draft, objectTypeProperty: { ...draft.objectTypeProperty, [name]: value } };
}

function wrongMember(name: string, value: unknown, more: Partial<Invalid> = {}): Invalid {
  return {
    claim: `${name} with ${JSON.stringify(value)}`,
    kind: "contract",
    expected: `The draft member ${name} violates its type, so the response is 400.`,
    sent: (service) => ({ json: withMember(service, name, value) }),
    ...more,
  };
}

const invalidDrafts: readonly Invalid[] = [
  {
    claim: "a draft without objectTypeProperty",
    row: "required-fields",
    expected: "The draft requires objectTypeProperty, so the response is 400.",
    sent: () => ({ json: {} }),
  },
  {
    claim: "objectTypeProperty that is text",
    kind: "contract",
    expected: "objectTypeProperty is an object, so text returns 400.",
    sent: () => ({ json: { objectTypeProperty: "text" } }),
  },
  wrongMember("arrayOfIntExample", ["1"]),
  wrongMember("arrayOfStringExample", [1], {
    sent: ({ draft }) => ({
      json: { objectTypeProperty: { ...draft().objectTypeProperty, arrayOfStringExample: [1] } },
    }),
  }),
  wrongMember("arrayOfObjectType", [{ integerExample: "1" }]),
  wrongMember("arrayOfObjectType", [{ integerExampleInt32: 2147483648 }], { kind: undefined, row: "types" }),
];

const unusualJson: readonly Invalid[] = [
  wrongMember("arrayOfFloatExample", ["0.5"]),
  wrongMember("arrayOfTwonumbersExample", [true]),
  wrongMember("arrayOfNumberNoDefaultsExample", "1"),
  wrongMember("arrayOfUniqueIntExample", [1.5]),
  {
    claim: "a number that is too large for 64 bits",
    row: "types",
    expected: "The number 1e400 returns 400, as no server can return it unchanged.",
    sent: () => ({ body: '{"objectTypeProperty":{"arrayOfNumberNoDefaultsExample":[1e400]}}', type: json }),
  },
  {
    claim: "JSON with 201 levels",
    row: "depth",
    expected: "JSON with more than 200 levels returns 400.",
    sent: () => ({ body: `{"objectTypeProperty":{},"deep":${"[".repeat(200)}${"]".repeat(200)}}`, type: json }),
  },
  {
    claim: "a body with Content-Encoding: gzip",
    row: "encodings",
    status: 415,
    expected: "An encoded body returns 415.",
    sent: ({ draft }) => ({
      body: JSON.stringify(draft()),
      type: json,
      headers: { "Content-Encoding": "gzip" },
    }),
  },
];

function wrongUpdate(what: string, value: unknown, more: Partial<Invalid> = {}): Invalid {
  return {
    claim: `an update with ${what}`,
    kind: "contract",
    expected: `An update with ${what} returns 400.`,
    sent: () => ({ json: value }),
    ...more,
  };
}

const required = { kind: undefined, row: "required-fields" } as const;

const invalidUpdates: readonly Invalid[] = [
  wrongUpdate("no version", { actions: [{ action: "doSomeThing" }] }, required),
  wrongUpdate("no actions", { version: 1 }, required),
  wrongUpdate("a version that is text", { version: "1", actions: [{ action: "doSomeThing" }] }),
  wrongUpdate("actions that are no array", { version: 1, actions: { action: "doSomeThing" } }),
  wrongUpdate("an action that is text", { version: 1, actions: ["doSomeThing"] }),
  wrongUpdate("an action without a name", { version: 1, actions: [{}] }),
  wrongUpdate("someProperty that is a number", {
    version: 1,
    actions: [{ action: "changeSomeProperty", someProperty: 1 }],
  }),
];

function wrongComplex(name: string, value: unknown): Invalid {
  return {
    claim: `${name} with ${JSON.stringify(value)}`,
    kind: "contract",
    expected: `The member ${name} violates its type, so the response is 400.`,
    sent: () => ({ json: { ...complexBody, [name]: value } }),
  };
}

const invalidComplex: readonly Invalid[] = [
  wrongComplex("createdAt", "yesterday"),
  wrongComplex("createdBy", { firstName: 1 }),
  wrongComplex("eigthProperty", 8),
];

const invalidImages: readonly Invalid[] = [
  {
    claim: "an image of type image/webp",
    row: "images",
    status: 415,
    expected: "A content type other than those of JPEG, PNG and GIF returns 415.",
    sent: () => ({ body: images["image/png"], type: "image/webp" }),
  },
  {
    claim: "an image whose first bytes are of another type",
    row: "images",
    expected: "First bytes that do not match the content type return 400.",
    needs: [nameOf("uploadImage", "accepts a GIF image")],
    sent: () => ({ body: images["image/png"], type: "image/gif" }),
  },
  {
    claim: "an upload without an image",
    kind: "contract",
    expected: "The operation requires an image, so an empty body returns 400.",
    sent: () => ({ body: "", type: "image/png" }),
  },
  {
    claim: "an image of more than 10 MiB",
    row: "images",
    status: 413,
    expected: "An image of more than 10 MiB returns 413.",
    sent: () => ({
      body: Buffer.concat([images["image/png"], spacesOf(MAX_IMAGE_BYTES)]),
      type: "image/png",
    }),
  },
];

/** Valid bodies that a service could reject. */
function acceptances(contract: Contract): Check[] {
  const accepts = (id: OperationId, what: string, row: Definition["row"], sent: (service: Service) => Sent) =>
    checksFor(contract, id, [
      {
        claim: `accepts ${what}`,
        kind: row ? "assumption" : "contract",
        row,
        expected: `The operation accepts ${what}.`,
        async attempt(service) {
          const { isOk, seen } = await sendValid(service, id, sent(service));
          claim(isOk, seen);
          return seen;
        },
      },
    ]);
  return [
    ...accepts("createResource", "a draft with few arrays", "required-fields", ({ newName }) => ({
      json: { objectTypeProperty: { arrayOfStringExample: [newName()] } },
    })),
    ...accepts("createResource", "repeated values in arrayOfUniqueIntExample", "required-fields", (service) => ({
      json: withMember(service, "arrayOfUniqueIntExample", [1, 1]),
    })),
    ...accepts("createResource", "any Unicode text", undefined, ({ draft }) => ({
      json: draft({}, "Ünï 𝔘 \u0000 🎉"),
    })),
    ...accepts("createResource", "a content type with a charset", undefined, ({ draft }) => ({
      body: JSON.stringify(draft()),
      type: "application/json; charset=utf-8",
    })),
    ...accepts("runComplexOperation", "an empty object", "required-fields", () => ({ json: {} })),
    ...accepts("runComplexOperation", "a version that is a number", undefined, () => ({
      json: { ...complexBody, version: 2 },
    })),
    ...accepts("runComplexOperation", "path parameters with encoded characters", undefined, () => ({
      path: { uriParameterOne: "a b/c=d", uriParameterTwo: "ü'\"" },
    })),
    ...accepts("uploadImage", "a JPEG image", undefined, () => ({ body: images["image/jpeg"], type: "image/jpeg" })),
    ...accepts("uploadImage", "a GIF image", undefined, () => ({ body: images["image/gif"], type: "image/gif" })),
    ...accepts("writeNamespaceAction", "a request without a body", "namespace-actions", () => ({})),
  ];
}
