import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { renderReadme } from "../../scripts/readme.ts";
import { oauthErrorCatalogue } from "../../src/auth/token-endpoint.ts";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { operations } from "../../src/contract/operations.ts";
import { linesInOrder, shellExamples } from "../setup/markdown.ts";
import { useMock } from "../setup/mock.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

describe("the README", () => {
  test("holds the parts that are made from the code as they are now (npm run docs)", () => {
    expect(readme).toBe(renderReadme(readme));
  });

  test.each(operations.map(({ id, method }) => [id, method]))("lists the operation %s", (id, method) => {
    expect(readme).toMatch(new RegExp(`^\\| \\d+ \\| \`${id}\` \\| ${method} `, "m"));
  });

  test.each(Object.entries({ ...errorCatalogue, ...oauthErrorCatalogue }))(
    "lists the error %s",
    (code, { status, meaning }) => {
      expect(readme).toContain(`| \`${code}\` | ${status} | ${meaning} |`);
    },
  );
});

describe("the README's commands", () => {
  const mock = useMock("over a socket");

  test.each(shellExamples(readme))("do as it says: %s", async (_first, script, expected) => {
    const command = script.replaceAll("http://localhost:8080", mock.url ?? "");
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command]);
    expect(stdout.replaceAll("\r", "")).toMatch(linesInOrder(expected));
  });
});
