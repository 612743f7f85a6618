// @module-tag tools
// @module-tag process
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { repository, run } from "../setup/run.ts";
import type { Calls } from "./clients/reply.ts";
import { type Document, type DocumentName, documentPaths, operationsOf } from "./documents.ts";
import { generateClients } from "./generate-clients.ts";

const mock = useMock("over a socket");
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

// The other clients only compile: the mock checks each response of the control API against the schemas of its document.
describe("the client of the contract for openapi-fetch", () => {
  let calls: Calls<string>;

  beforeAll(async () => {
    const { callsTo } = await import(pathToFileURL(join(folder, "contract-openapi-fetch.ts")).href);
    calls = callsTo(mock.url);
  });

  test("calls every operation of the document", () => {
    const described = operationsOf(documents.contract).map(({ operation }) => operation.operationId);
    expect(Object.keys(calls).sort()).toEqual(described.sort());
  });

  test.each(serviceContract.ids)(
    "the method for %s returns a response that the document declares",
    async (operationId) => {
      const projectKey = newProject();
      const { data, error, response } = (await calls[operationId]?.(projectKey)) ?? {};
      expect(error).toBeUndefined();
      const found = operationsOf(documents.contract).find(({ operation }) => operation.operationId === operationId);
      const { content = {} } = found?.operation.responses[response?.status ?? 0] ?? expect.unreachable();
      const [mediaType] = Object.keys(content);
      if (mediaType !== undefined) {
        const parts = [
          "paths",
          found?.path,
          found?.method,
          "responses",
          response?.status,
          "content",
          mediaType,
          "schema",
        ];
        const pointer = parts.map((part) => encodeURIComponent(`${part}`.replaceAll("~", "~0").replaceAll("/", "~1")));
        const validate = ajv.compile({ $ref: `contract#/${pointer.join("/")}` });
        expect([validate(data), validate.errors]).toEqual([true, null]);
      }
      expect(mock.engine.projects.find(projectKey)?.journal.list()[0]?.unnamed).toEqual([]);
    },
  );
});
