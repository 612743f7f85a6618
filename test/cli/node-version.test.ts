import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { unsupportedNode } from "../../src/library/node-version.ts";
import { command } from "../setup/command.ts";

const required = manifest.engines.node.replace(">=", "");

test.each(["20.20.2", "22.17.1", "8.0.0", "v"])("rejects Node %s", (version) => {
  expect(unsupportedNode(version)).toBe(`resource-mock: expected Node ${required} or newer, found ${version}`);
});

test.each([`${required}.0`, "22.20.0", "23.0.0", "24.1.0-nightly", process.versions.node, undefined])(
  "supports Node %s",
  (version) => {
    expect(unsupportedNode(version)).toBeUndefined();
  },
);

test("the command prints one line in an old Node, and exits with 2", async () => {
  const old = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
  expect(await command(["check"], { NODE_OPTIONS: `--import ${old}` })).toEqual({
    code: 2,
    stdout: "",
    stderr: `resource-mock: expected Node ${required} or newer, found 20.20.2\n`,
  });
});
