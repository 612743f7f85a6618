import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { generatedDocuments, read, render } from "../../scripts/docs.ts";
import { operations } from "../../src/services/generic-resource/operations.ts";
import { contractOf, headingsOf, linesInOrder, linksOf, shellExamples } from "../setup/markdown.ts";
import { useMock } from "../setup/mock.ts";
import { bin, repository } from "../setup/run.ts";

const textOf = (document: string) => readFileSync(join(repository, document), "utf8");
/** The documents whose commands need a running server. The other recipes start their own. */
const pages = ["README.md", ...globSync("docs/*.md", { cwd: repository }).sort(), "docs/recipes/history.md"];
const everyDocument = ["CONTRIBUTING.md", "README.md", ...globSync("docs/**/*.md", { cwd: repository }).sort()];

test.each(generatedDocuments)("the generated parts of docs/%s are current (npm run docs)", (document) => {
  expect(read(document)).toBe(render(document));
});

test("the README has at most 180 lines", () => {
  expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(180);
});

test("docs/operations.md has every operation", () => {
  const document = read("operations.md");
  const missing = operations.filter(({ id, method }) => !document.includes(`\n| \`${id}\` | ${method}`));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

/** Pages without a command that starts the mock with `--contract` use the built-in service. */
const withCommands = pages
  .map((document) => ({ document, text: textOf(document) }))
  .map(({ document, text }) => ({ document, contract: existingContractOf(text), examples: shellExamples(text) }))
  .filter(({ examples }) => examples.length > 0);

describe.each(withCommands)("the commands in $document", { tags: ["process"] }, ({ contract, examples }) => {
  const mock = useMock("over a socket", { contract });

  test.each(examples)("print the documented output: %s", async (_first, script, expected) => {
    const command = script
      .replaceAll("http://localhost:8080", mock.url ?? "")
      .replaceAll("npx resource-mock ", `"${process.execPath}" "${bin}" `);
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command]);
    expect(stdout.replaceAll("\r", "")).toMatch(linesInOrder(expected));
  });
});

/** Returns the document that the page starts the mock with, if the repository has this document. */
function existingContractOf(text: string): string | undefined {
  const contract = contractOf(text);
  return contract !== undefined && existsSync(join(repository, contract)) ? join(repository, contract) : undefined;
}

test("links in documents lead to files and headings", () => {
  const broken = everyDocument.flatMap((document) =>
    linksOf(textOf(document))
      .filter(({ path, heading }) => {
        const target = path === "" ? document : join(dirname(document), path);
        if (!existsSync(join(repository, target))) return true;
        return heading !== "" && !headingsOf(textOf(target)).map(anchorOf).includes(heading);
      })
      .map(({ path, heading }) => `${document}: ${path}#${heading}`),
  );
  expect(broken).toEqual([]);
});

/** Returns the anchor of a heading on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}
