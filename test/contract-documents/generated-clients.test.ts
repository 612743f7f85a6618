// @module-tag process
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serviceContract } from "../../src/contract/service-contract.ts";
import { loadOperations } from "../../src/control/operations.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { repository, run } from "../setup/run.ts";
import type { Calls, Reply } from "./clients/reply.ts";
import { type Document, type DocumentName, documentPaths, operationsOf } from "./documents.ts";
import { generateClients } from "./generate-clients.ts";

const controlOperations = await loadOperations();

// With HTTPS, the server has a CA certificate to return.
const mock = useMock("over HTTPS");
const ajv = new Ajv2020({ strict: false });
formats.default.default(ajv);

let documents: Record<DocumentName, Document>;
let folder: string;

beforeAll(async () => {
  const load = async (name: DocumentName): Promise<Document> => {
    // The generators block the event loop for longer than the server keeps an idle connection.
    const response = await fetch(mock.url + documentPaths[name], { headers: { Connection: "close" } });
    const document = (await response.json()) as Document;
    ajv.addSchema(document, name);
    return document;
  };
  documents = { contract: await load("contract"), control: await load("control") };
  folder = await generateClients(documents);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the generated clients of both documents and their calls compile in strict mode", async () => {
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "--project", folder]);
}, 60_000);

const operationIds: Record<DocumentName, readonly string[]> = {
  contract: serviceContract.ids,
  control: controlOperations.map(({ id }) => id),
};

// The clients for Hey API only compile: their calls would show the same responses again.
describe.each(["contract", "control"] as const)("the client of the %s document for openapi-fetch", (name) => {
  let calls: Calls<string>;

  beforeAll(async () => {
    const { callsTo } = await import(pathToFileURL(join(folder, `${name}-openapi-fetch.ts`)).href);
    calls = callsTo(mock.url);
  });

  test("calls every operation of the document", () => {
    const described = operationsOf(documents[name]).map(({ operation }) => operation.operationId);
    expect(Object.keys(calls).sort()).toEqual(described.sort());
  });

  test.each(operationIds[name])("%s returns a response that the document declares", async (operationId) => {
    const projectKey = newProject();
    const reply = await calls[operationId]?.(projectKey);
    expectDeclared(name, operationId, reply ?? {});
    if (name === "contract") expect(mock.engine.projects.find(projectKey)?.journal.list()[0]?.unnamed).toEqual([]);
  });
});

/** Checks that the document declares the status and the body of a success for the operation. */
function expectDeclared(name: DocumentName, operationId: string, { data, error, response }: Reply): void {
  expect(error).toBeUndefined();
  const found = operationsOf(documents[name]).find(({ operation }) => operation.operationId === operationId);
  const successes = Object.entries(found?.operation.responses ?? {}).filter(([status]) => Number(status) < 300);
  if (response) expect(successes.map(([status]) => Number(status))).toContain(response.status);
  const [status, { content = {} } = {}] =
    successes.find(([declared]) => Number(declared) === response?.status) ?? successes[0] ?? [];
  const [mediaType] = Object.keys(content);
  if (mediaType === undefined) return;
  if (mediaType === "image/*") {
    expect(data).toBeInstanceOf(Blob);
    return;
  }
  const parts = ["paths", found?.path, found?.method, "responses", status, "content", mediaType, "schema"];
  const pointer = parts.map((part) => encodeURIComponent(`${part}`.replaceAll("~", "~0").replaceAll("/", "~1")));
  const validate = ajv.compile({ $ref: `${name}#/${pointer.join("/")}` });
  expect([validate(data), validate.errors]).toEqual([true, null]);
}
