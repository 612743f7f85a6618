import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Balancer, openBalancer } from "./balancer.ts";
import { control } from "./control.ts";
import { newProject, useMock } from "./mock.ts";
import { openSocket } from "./raw-socket.ts";

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
