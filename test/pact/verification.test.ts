// @module-tag process
// @module-tag slow
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pact } from "../../src/control/client/types.ts";
import { inProject } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { type MockUnderTest, useMock } from "../setup/mock.ts";
import { write } from "../setup/resources.ts";
import { repository, run } from "../setup/run.ts";
import { useService } from "./exchanges.ts";

/** A response of the mock, on its way through a deviating service. */
interface PassedResponse {
  readonly method: string;
  status: number;
  body: { [member: string]: unknown };
}

const deviations: readonly [name: string, interaction: string, change: (response: PassedResponse) => void][] = [
  [
    "200 instead of 201",
    "createResource returns 201",
    (response) => {
      if (response.method === "POST" && response.status === 201) response.status = 200;
    },
  ],
  [
    "no version",
    "getResourceById returns 200",
    ({ method, body }) => {
      if (method === "GET") delete body.version;
    },
  ],
  [
    "a version of another type",
    "getResourceById returns 200",
    ({ method, body }) => {
      if (method === "GET") body.version = String(body.version);
    },
  ],
];

describe("the verifier of Pact", () => {
  const recorded = useMock("in process");
  const mock = useMock("over a socket");
  /** Writes the pact of a project, and verifies it. Rejects with the output of the verifier. */
  const verify = async (project: string, provider: string) => {
    const { body } = await inProject<Pact>(recorded, project, "GET", "/pact?consumer=shop&as=shop");
    const file = `${folderOf({ "pact.json": body })}/pact.json`;
    return run(process.execPath, [`${repository}test/pact/verify.ts`, file, provider, mock.url ?? ""]);
  };

  test("accepts the pact of all kinds of exchanges against another mock, twice", async () => {
    await useService(recorded, "all");
    await verify("all", mock.url ?? "");
    await verify("all", mock.url ?? "");
  });

  describe.each(deviations)("rejects a service with %s", (_name, interaction, change) => {
    const service = useDeviation(mock, change);

    test("and names the interaction", async () => {
      const { id } = await write(recorded, "deviating");
      await recorded.resource("deviating", `/${id}`);
      const failure = await verify("deviating", service.url).then(
        () => "",
        (error: Error) => error.message,
      );
      expect(failure).toContain("There were 1 pact failures");
      expect(failure).toMatch(new RegExp(`1\\) .*${interaction}`));
    });
  });
});

/** Starts a service that passes requests on to the mock, and changes the responses. */
function useDeviation(mock: MockUnderTest, change: (response: PassedResponse) => void): { readonly url: string } {
  const server = createServer((incoming, outgoing) => {
    const { method = "", url, headers } = incoming;
    const passed = sendRequest(`${mock.url}${url}`, { method, headers }, async (response) => {
      const text = (await response.toArray()).join("");
      const changed = { method, status: response.statusCode ?? 0, body: JSON.parse(text) };
      change(changed);
      const { "content-length": _length, ...kept } = response.headers;
      outgoing.writeHead(changed.status, kept).end(JSON.stringify(changed.body));
    });
    incoming.pipe(passed);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}
