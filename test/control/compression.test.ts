import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { json, onTransports } from "../setup/mock.ts";

onTransports("compression in the control API", {}, (mock) => {
  const read = (path: string, encoding: string) =>
    mock.fetch(`/__admin${path}`, { headers: { "Accept-Encoding": encoding } });
  /** Returns the text of a response. `fetch` over a socket has decompressed it already. */
  const textOf = async (response: Response) => {
    const bytes = Buffer.from(await response.arrayBuffer());
    return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  };
  const generate = (count: number) => mock.fetch("/__admin/projects/p/resources", json("POST", { generate: count }));

  test.each([
    ["a short list, with its length", 20],
    ["a long list, as a stream", 2000],
  ])("compresses %s for a client that accepts gzip", async (_, count) => {
    await generate(count);
    const plain = await read("/projects/p/resources?limit=1000", "identity");
    const compressed = await read("/projects/p/resources?limit=1000", "br, gzip;q=0.8");
    expect(plain.headers.get("Content-Encoding")).toBeNull();
    expect(compressed.headers.get("Content-Encoding")).toBe("gzip");
    expect(compressed.headers.get("Content-Type")).toBe("application/json");
    expect(await textOf(compressed)).toBe(await plain.text());
  });

  test("compresses the list of requests", async () => {
    for (let index = 0; index < 20; index++) await mock.resource("p", `/x${index}`);
    const compressed = await read("/projects/p/requests?brief=true", "gzip");
    expect(compressed.headers.get("Content-Encoding")).toBe("gzip");
    expect(JSON.parse(await textOf(compressed)).requests).toHaveLength(20);
  });

  test("does not compress a long resource, as many of them would wait for compression in memory", async () => {
    const body = { objectTypeProperty: {}, text: "x".repeat(70_000) };
    await mock.fetch("/__admin/projects/p/resources/long", json("PUT", body));
    const response = await read("/projects/p/resources/long", "gzip");
    expect(response.headers.get("Content-Encoding")).toBeNull();
    expect(await response.json()).toMatchObject(body);
  });

  test.each([
    ["a short response", "/projects/p/clock", "gzip"],
    ["an archive, which is a file", "/projects/p/archive", "gzip"],
    ["a response to a client that refuses gzip", "/projects/p/resources", "gzip;q=0, br"],
    ["a response to a client that names no encoding that it reads", "/projects/p/resources", "br"],
  ])("does not compress %s", async (_, path, encoding) => {
    await generate(20);
    expect((await read(path, encoding)).headers.get("Content-Encoding")).toBeNull();
  });
});
