// @module-tag smoke
// @module-tag process
import { expect, test } from "vitest";
import { command } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { scriptOf, stateOf } from "../sweep/scripts.ts";

test("resource-mock sweep finds the failure that a script does not survive", async () => {
  const folder = folderOf({
    "test.cjs": scriptOf(`const status = await call(cart); console.log(status); process.exit(status === 200 ? 0 : 1);`),
    // With this state, the sweep skips the runs without a failure.
    ...stateOf(["node", "test.cjs"], ["getCart"]),
  });
  const args = ["sweep", "--resume", "--failures", "503", "--require", "100", "--", "node", "test.cjs"];
  const { code, stdout, stderr } = await command(args, {}, folder);
  expect(stdout).toMatch(/^operation {2}503-once\ngetCart {4}failed\n\ngetCart 503-once: failed after .*\n {4}503\n/);
  const missed = "expected at least 100 % survived, found survived 0 of 1 run (0 %), 1 failed";
  expect([code, stderr]).toEqual([1, `resource-mock: --require: ${missed}\n`]);
});
