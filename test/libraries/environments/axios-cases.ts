import axios from "axios";
import { describe, expect, onTestFinished, test } from "vitest";
import { newProject } from "../../setup/mock.ts";
import { draft } from "../../setup/resources.ts";
import type { Access } from "./consumer-cases.ts";

/** Defines tests of a client with axios, which uses XMLHttpRequest if the environment has it, or else `http` of Node. */
export function axiosCases(access: () => Omit<Access, "fetch">): void {
  function open() {
    const { project, address } = access();
    const mock = project(newProject());
    onTestFinished(() => mock.delete());
    const adapter = typeof XMLHttpRequest === "undefined" ? "http" : "xhr";
    const baseURL = `${address}/${mock.key}/resource`;
    return { mock, client: axios.create({ adapter, baseURL, validateStatus: null }) };
  }

  describe("axios", () => {
    test.each(["post", "put", "patch"] as const)(
      "creates a resource with %s and reads the Location",
      async (method) => {
        const { client, mock } = open();
        const { status, data, headers } = await client[method]("", draft);
        expect([status, data]).toEqual([201, { version: 1, ...draft }]);
        expect(headers.location).toMatch(new RegExp(`^/${mock.key}/resource/`));
        await mock.assertReceived({ method: method.toUpperCase(), body: draft });
      },
    );

    test("reads, queries and deletes, and receives errors", async () => {
      const { client } = open();
      expect((await client.get("/shirt")).data).toMatchObject({ version: 1 });
      const params = { where: 'id = "shirt"', withTotal: true };
      expect((await client.get("/sorted-query-parameters", { params })).data).toMatchObject({ total: 1 });
      expect((await client.head("")).status).toBe(200);
      expect((await client.delete("/shirt")).status).toBe(200);
      const { status, data } = await client.get("/shirt");
      expect([status, data]).toMatchObject([404, { errors: [{ code: "ResourceNotFound" }] }]);
    });

    test("rejects when the connection breaks, and the next request succeeds", async () => {
      const { client, mock } = open();
      await mock.use("connection-reset", { times: 1 });
      await expect(client.get("/shirt")).rejects.toThrow();
      expect((await client.get("/shirt")).status).toBe(200);
    });
  });
}
