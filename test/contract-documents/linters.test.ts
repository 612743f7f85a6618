// @module-tag slow
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { useMock } from "../setup/mock.ts";
import { documentPaths } from "./documents.ts";

const mock = useMock("in process");

/**
 * Accepted warnings. Some operations only have a summary. Spectral accepts scopes only for OAuth flows, but OpenAPI 3.1
 * allows them for bearer tokens too.
 */
const accepted = ["oas3-operation-security-defined", "operation-description"];

test.each(Object.entries(documentPaths))(
  "the %s document passes the recommended rules of Spectral",
  async (_name, path) => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, "recommended"]] });
    const problems = await spectral.run(await (await mock.fetch(path)).text());
    expect(problems.filter(({ code }) => !accepted.includes(`${code}`))).toEqual([]);
  },
);
