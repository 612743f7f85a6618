import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { commandLine, namePattern, projectKeyOf } from "../../src/library/testing/test-project.ts";
import { folderOf } from "../setup/folder.ts";
import { isWindows } from "../setup/run.ts";

describe("the project key of a test", () => {
  test.each([
    ["test/cart.test.ts", "shows the sum", /^cart-shows-the-sum-[0-9a-f]{8}$/],
    ["カート.test.ts", "合計", /^test-[0-9a-f]{8}$/],
    ["test/cart.test.ts", "very ".repeat(100), /^[a-z-]{50,60}-[0-9a-f]{8}$/],
  ])("is derived from file and name: %s, %s", (file, name, key) => {
    expect(projectKeyOf(file, name)).toMatch(key);
  });
});

describe("the command to run a test again", () => {
  test.skipIf(isWindows)("quotes the name of the test for a POSIX shell", () => {
    const name = `it's "50 %" (a|b) $HOME \`id\` \\ [x]*`;
    const printed = commandLine(["printf", "%s", namePattern(name)], {});

    const pattern = execFileSync("sh", ["-c", printed], { encoding: "utf8" });

    expect(new RegExp(pattern).test(name)).toBe(true);
  });

  test("sets the variables that configure the mock, without secrets", () => {
    const environment = {
      HOME: "/home/me",
      RESOURCE_MOCK_SEED: "7",
      RESOURCE_MOCK_FIXTURES: "my fixtures",
      RESOURCE_MOCK_AUTH: "",
      RESOURCE_MOCK_ADMIN_TOKEN: "secret",
      RESOURCE_MOCK_CLIENT: "me:secret",
      RESOURCE_MOCK_TOKEN: "secret",
      RESOURCE_MOCK_COMPARE_CLIENT: "me:secret",
      RESOURCE_MOCK_UPSTREAM: "https://me:secret@service.example/a@b",
    };
    expect(commandLine(["npx", "jest"], environment)).toBe(
      "RESOURCE_MOCK_FIXTURES='my fixtures' RESOURCE_MOCK_SEED=7 RESOURCE_MOCK_UPSTREAM=https://service.example/a@b npx jest",
    );
  });

  const again = "npx resource-mock sweep --out resource-mock-sweep/again";

  test.each([
    [
      "the server of the sweep",
      { RESOURCE_MOCK_URL: "http://127.0.0.1:1" },
      `${again} --only getCart,401-once -- npx jest`,
    ],
    ["the mocks of the tests", {}, `${again} --in-process --only getCart,401-once -- npx jest`],
  ])("in a sweep with %s, repeats the failure of the run", (_what, variables, expected) => {
    const failure = { name: "401-once", rule: { operation: "getCart", respond: { status: 401 } } };
    const folder = folderOf({ "failure.json": JSON.stringify(failure) });
    const environment = { ...variables, RESOURCE_MOCK_SWEEP: folder, RESOURCE_MOCK_SWEEP_RESUME: "true" };
    expect(commandLine(["npx", "jest"], environment)).toBe(expected);
  });

  test("in a run of a sweep without a failure, runs the test without a sweep", () => {
    const folder = folderOf({ "failure.json": "null" });
    const environment = {
      RESOURCE_MOCK_SWEEP: folder,
      RESOURCE_MOCK_URL: "http://127.0.0.1:1",
      RESOURCE_MOCK_SEED: "7",
    };
    expect(commandLine(["npx", "jest"], environment)).toBe("RESOURCE_MOCK_SEED=7 npx jest");
  });
});
