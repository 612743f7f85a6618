// @module-tag smoke
// @module-tag process
import { expect, onTestFinished, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { command } from "../setup/command.ts";

test("resource-mock coverage fails if a requirement is missed, and names the first missing failures", async () => {
  const mock = await startResourceMock();
  onTestFinished(mock.close);
  await fetch(`${mock.project("shop").baseUrl}/resource/namespace-action-with-example`, {
    headers: { Prefer: "code=429" },
  });
  const { code, stdout, stderr } = await command(["coverage", "--url", mock.url, "--require", "failures=50"]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toContain("1 request, 1 of 16 operations (6.25 %), 1 of 9 failures tried (11.11 %)");
  expect(stdout).toContain("failures: expected at least 50 %, found 11.11 %.");
  expect(stdout).toMatch(/^ {2}getCart {2}401\/403 +await mock\.use\("unauthorized"\)$/m);
});
