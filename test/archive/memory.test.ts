// @module-tag process
// @module-tag slow
import { expect, test } from "vitest";
import { serving } from "../setup/serving.ts";

test("an archive with more values than memory is refused, and the server keeps its projects", async () => {
  const server = await serving({ args: ["--log", "off"], environment: { NODE_OPTIONS: "--max-old-space-size=400" } });
  const other = `${server.url}/other/resource/some-id`;
  expect((await fetch(other)).status).toBe(200);
  const archive = `${server.url}/__admin/projects/shop/archive`;
  await fetch(`${server.url}/shop/resource/some-id`);
  const lines = (await (await fetch(archive)).text()).trimEnd().split("\n");
  const position = lines.findIndex((line) => line.startsWith('{"item/Resource/'));
  const [number, resource] = Object.values(JSON.parse(lines[position] ?? ""))[0] as [number, object];
  // The text `{}` takes many times as much memory. A line has at most 200,000 values.
  const text = `[${Array(99_000).fill("{}")}]`;
  const added = Array.from({ length: 180 }, (_, index) => {
    const line = {
      [`item/Resource/large-${index}`]: [
        number + index,
        { ...resource, id: `large-${index}`, alternates: undefined, content: { x: 0 } },
      ],
    };
    return JSON.stringify(line).replace('"x":0', `"x":${text}`);
  });
  const body = [...lines.slice(0, -1), ...added, lines.at(-1)].join("\n");
  const headers = { "Content-Type": "application/x-ndjson" };
  const response = await fetch(archive, { method: "PUT", headers, body });
  expect([response.status, await response.json()]).toEqual([
    507,
    expect.objectContaining({ detail: expect.stringContaining("Memory of the process") }),
  ]);
  expect((await fetch(other)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});
