import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Balancer, openBalancer } from "./balancer.ts";
import { control } from "./control.ts";
import { json, type MockUnderTest, newProject, useMock } from "./mock.ts";
import { openSocket } from "./raw-socket.ts";
import { draft } from "./resources.ts";

describe("a balancer before three servers", () => {
  const mocks = [0, 1, 2].map(() => useMock("over a socket"));
  let balancer: Balancer;
  beforeAll(async () => {
    balancer = await openBalancer(
      mocks.map(({ url }) => url ?? ""),
      "seed",
    );
  });
  afterAll(() => balancer.close());

  it("picks a replica for each request of a connection", async () => {
    const picks = balancer.picks.length;
    const dispatcher = new Agent({ connections: 1 });
    for (let count = 0; count < 30; count++) {
      const { body } = await request(`${balancer.url}/p/resource`, { dispatcher });
      await body.dump();
    }
    await dispatcher.close();

    const own = balancer.picks.slice(picks);
    expect(own).toHaveLength(30);
    expect([...new Set(own)].sort()).toEqual(["0 GET /p/resource", "1 GET /p/resource", "2 GET /p/resource"]);
  });

  it("makes the same picks for the same seed and requests", async () => {
    const picks = async () => {
      const other = await openBalancer(
        [...Array(3)].map(() => mocks[0]?.url ?? ""),
        "another seed",
      );
      for (let count = 0; count < 10; count++) await (await fetch(`${other.url}/p/resource`)).arrayBuffer();
      await other.close();
      return [...other.picks];
    };

    expect(await picks()).toEqual(await picks());
  });

  it("passes requests with large bodies, HEAD requests and their responses", async () => {
    balancer.use([1]);
    const project = newProject();
    const texts = Array.from({ length: 50_000 }, (_, index) => `text ${index}`);
    const created = await fetch(
      `${balancer.url}/${project}/resource`,
      json("POST", { objectTypeProperty: { ...draft.objectTypeProperty, arrayOfStringExample: texts } }),
    );
    expect(created.status).toBe(201);
    expect(await (await fetch(`${balancer.url}${created.headers.get("Location")}`)).json()).toMatchObject({
      objectTypeProperty: { arrayOfStringExample: texts },
    });
    expect((await fetch(`${balancer.url}/${project}/resource`, { method: "HEAD" })).status).toBe(200);
    balancer.use([0, 1, 2]);
  });

  it("passes a body after a response with status 100", async () => {
    const client = await openSocket(balancer.url);
    const body = JSON.stringify(draft);
    const head = `POST /p/resource HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    client.send(`${head}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
    await client.received(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    client.send(body);

    expect((await client.closed()).text).toContain("HTTP/1.1 201 Created");
  });

  it.each(["CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE", "MALFORMED_RESPONSE_CHUNK", "RANDOM_DATA_THEN_CLOSE"])(
    "passes the broken response of %s unchanged",
    async (fault) => {
      const project = newProject();
      for (const mock of mocks) await control(mock, "POST", `/projects/${project}/rules`, { operation: "*", fault });
      const request = `GET /${project}/resource HTTP/1.1\r\nHost: a\r\n\r\n`;

      const through = await responseTo(request, balancer.url);
      const direct = await responseTo(request, mocks[0]?.url);

      expect({ ...through, text: kind(through.text) }).toEqual({ ...direct, text: kind(direct.text) });
    },
  );

  it("passes an event stream, and the abort of its client", async () => {
    balancer.use([2]);
    const [mock] = mocks.slice(2) as [MockUnderTest];
    const project = newProject();
    const abort = new AbortController();
    const events = await fetch(`${balancer.url}/__admin/projects/${project}/events`, { signal: abort.signal });
    const reader = events.body?.getReader();
    await mock.resource(project);

    let text = "";
    while (!text.includes("event: request")) text += new TextDecoder().decode((await reader?.read())?.value);
    abort.abort();

    await expect(reader?.read()).rejects.toThrow();
    balancer.use([0, 1, 2]);
  });
});

async function responseTo(request: string, url: string | undefined) {
  const client = await openSocket(url);
  client.send(request);
  return await client.closed();
}

/** Returns the fixed part of a broken response. Random data and dates differ. */
function kind(text: string): string {
  return /^HTTP\/1\.1 \d+/.exec(text)?.[0] ?? (text === "" ? "nothing" : "data");
}
