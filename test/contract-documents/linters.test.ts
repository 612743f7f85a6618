// @module-tag tools
// @module-tag slow
// @module-tag process
import { join } from "node:path";
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { beforeAll, describe, expect, test } from "vitest";
import { folderOf } from "../setup/folder.ts";
import { useMock } from "../setup/mock.ts";
import { repository, run } from "../setup/run.ts";
import { type Document, documentPaths } from "./documents.ts";

const mock = useMock("in process");

/**
 * Accepted warnings. Some operations only have a summary. Spectral accepts scopes only for OAuth flows, but OpenAPI 3.1
 * allows them for bearer tokens too. `/docs` only redirects, so it has no 2XX.
 */
const accepted = {
  spectral: ["oas3-operation-security-defined", "operation-description"],
  redocly: ["no-server-example.com", "operation-2xx-response"],
};

describe.each(Object.entries(documentPaths))("the %s document", (_name, path) => {
  let document: Document;

  beforeAll(async () => {
    document = (await (await mock.fetch(path)).json()) as Document;
  });

  test("passes the recommended rules of Spectral", async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, "recommended"]] });
    const problems = await spectral.run(JSON.stringify(document));
    expect(problems.filter(({ code }) => !accepted.spectral.includes(`${code}`))).toEqual([]);
  });

  test("passes the recommended rules of Redocly", async () => {
    const folder = folderOf({ "openapi.json": document });
    const redocly = join(repository, "node_modules/@redocly/cli/bin/cli.js");
    // If the linter finds errors, `run` throws with its report. With warnings only, the exit code is 0.
    const parameters = ["lint", "--extends", "recommended", "--format", "json", "openapi.json"];
    const offline = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { problems } = JSON.parse(await run(process.execPath, [redocly, ...parameters], folder, offline));
    expect(problems.filter(({ ruleId }: { ruleId: string }) => !accepted.redocly.includes(ruleId))).toEqual([]);
  });
});
