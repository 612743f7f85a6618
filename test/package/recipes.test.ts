// @module-tag process
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { type Block, blocksOf, linesInOrder, shellExamples } from "../setup/markdown.ts";
import { describeWithBrowser, describeWithEngine } from "../setup/requirements.ts";
import { reservePort } from "../setup/reserve-port.ts";
import { repository, run } from "../setup/run.ts";
import { type Consumer, everyTool, useConsumer } from "./consumer.ts";
import { withBrowser } from "./playwright.ts";

/**
 * Documents whose programs are tested. Each program is written to a folder with the packed package, checked by
 * TypeScript, and run. The name after the language, as in ` ```ts cart.test.ts `, is the name of the file; it also selects
 * the runner.
 */
const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: repository }).sort()];
const compilerOptions = {
  strict: true,
  skipLibCheck: true,
  target: "es2023",
  lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
  module: "nodenext",
  moduleDetection: "force",
  types: ["node"],
  noEmit: true,
  allowImportingTsExtensions: true,
};

const petstoreFolder = join(repository, "examples/petstore");
const read = (document: string) => readFileSync(join(repository, document), "utf8");

/** The programs of a document that run together. They have the same language, and all or none need a container engine. */
interface Programs {
  readonly name: string;
  /** The whole document. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

function programsIn(document: string, withEngine: boolean): Programs[] {
  const blocks = blocksOf(read(document)).filter(({ code }) => code.includes("/testcontainers") === withEngine);
  return ["ts", "js"]
    .map((language) => ({
      name: `${document} (${language})`,
      text: read(document),
      blocks: blocks.filter((block) => block.language === language),
    }))
    .filter((programs) => programs.blocks.length > 0);
}

/** Returns the name of the file of each program. */
function filesOf({ blocks }: Programs): string[] {
  return blocks.map(({ language, name }, index) => name || `program-${index + 1}.${language}`);
}

async function runPrograms(programs: Programs): Promise<void> {
  const consumer = await useConsumer(everyTool);
  // The mock that the programs expect at http://localhost:8080.
  await using mock = await startResourceMock(
    usesPetstore(programs) ? { contract: `${petstoreFolder}/petstore.yaml` } : {},
  );
  const applicationPort = String(await reservePort());
  const isModule = programs.blocks.every(({ language }) => language === "ts");
  consumer.write("package.json", JSON.stringify({ type: isModule ? "module" : "commonjs" }));
  consumer.write("petstore.yaml", read("examples/petstore/petstore.yaml"));
  const files = filesOf(programs);
  for (const [index, file] of files.entries()) {
    const code = programs.blocks[index]?.code.replaceAll("http://localhost:8080", mock.url) ?? "";
    consumer.write(file, code.replace(/(?<=localhost:|listen\()3000/g, applicationPort));
  }
  if (files.includes("playwright.config.ts")) await runPlaywright(consumer, mock.url);
  else await runFiles(consumer, files, usesPetstore(programs) ? { RESOURCE_MOCK_CONTRACT: "petstore.yaml" } : {});
}

/** Returns whether a document tells its readers to start the mock with the contract `petstore.yaml`. */
function usesPetstore({ text }: Programs): boolean {
  return /RESOURCE_MOCK_CONTRACT=petstore\.yaml|--contract (examples\/petstore\/)?petstore\.yaml/.test(text);
}

async function runPlaywright(consumer: Consumer, mockUrl: string): Promise<void> {
  consumer.write("browser.config.ts", withBrowser("./playwright.config.ts"));
  const environment = { RESOURCE_MOCK_URL: mockUrl };
  expect(await consumer.run("playwright", ["test", "--config", "browser.config.ts"], environment)).toMatch(
    /\d+ passed/,
  );
}

/** Runs the written files. The test runners load the configuration and global setup files. */
async function runFiles(consumer: Consumer, files: readonly string[], variables: Record<string, string>) {
  const environment = { ...variables, RESOURCE_MOCK_IMAGE: inject("image"), TESTCONTAINERS_RYUK_DISABLED: "true" };
  if (files.some((file) => file.endsWith(".test.ts"))) await consumer.run("vitest", ["run"], environment);
  if (files.some((file) => file.endsWith(".test.js"))) await consumer.run("jest", [], environment);
  for (const file of files.filter((each) => !/\.test\.|config\.|^global-/.test(each))) {
    const printed = await consumer.run("node", [file], environment);
    // A comment after console.log contains the expected output.
    const expected = [...readFileSync(join(consumer.folder, file), "utf8").matchAll(/console\.log\(.*\); \/\/ (.+)/g)];
    expect(printed).toBe(expected.map(([, value]) => value).join("\n"));
  }
}

it("the programs in documents pass the type check", async () => {
  const consumer = await useConsumer(everyTool);
  consumer.write("package.json", JSON.stringify({ type: "module" }));
  consumer.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["documents"] }));
  const all = documents.flatMap((document) => [false, true].flatMap((engine) => programsIn(document, engine)));
  for (const [index, programs] of all.entries()) {
    for (const [block, file] of filesOf(programs).entries()) {
      const path = `documents/${index}-${programs.name.replaceAll("/", "-")}/${file}`;
      consumer.write(path, programs.blocks[block]?.code ?? "");
    }
  }
  await consumer.run("tsc", ["--project", "."]);
});

const needsBrowser = ({ blocks }: Programs) => blocks.some(({ name }) => name === "playwright.config.ts");
const programs = documents.flatMap((document) => programsIn(document, false));

describe("the programs in a document run", () => {
  it.each(programs.filter((each) => !needsBrowser(each)))("$name", runPrograms);
});

describeWithBrowser("the programs in a document run in a browser", () => {
  it.each(programs.filter(needsBrowser))("$name", runPrograms);
});

describeWithEngine("with a container engine", () => {
  it.each(documents.flatMap((document) => programsIn(document, true)))("the programs in $name run", runPrograms);

  it("the commands in docs/recipes/containers.md print the documented output", async () => {
    // All commands run in one shell, because they depend on each other. The name and the port are unique to this run.
    const name = `resource-mock-recipe-${process.pid}`;
    const examples = shellExamples(read("docs/recipes/containers.md"));
    const script = examples
      .map(([, commands]) => commands)
      .join("")
      .replace("--publish 8080:8080", "--publish 127.0.0.1::8080")
      .replace("resource-mock --contract", `${inject("image")} --contract`)
      .replace(/(--name|docker stop) resource-mock/g, `$1 ${name}`)
      // The port is known after the container has started.
      .replace(/\nuntil /, `\nurl=http://$(docker port ${name} 8080/tcp)\nuntil `)
      .replaceAll("http://localhost:8080", "$url");
    const expected = examples.map(([, , lines]) => lines.replace(/^resource-mock$/m, name)).join("");
    try {
      expect(await run("bash", ["-euo", "pipefail", "-c", script], petstoreFolder)).toMatch(linesInOrder(expected));
    } finally {
      await run("docker", ["rm", "--force", name]).catch(() => {});
    }
  });
});
