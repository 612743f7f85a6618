import { describe, expect, test } from "vitest";
import { assumptionsOf } from "../../src/services/generic-resource/assumptions.ts";
import { responseClaims } from "../../src/services/generic-resource/claims.ts";
import { ownChecks } from "../../src/services/generic-resource/compare/index.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { allChecks } from "../../src/tools/compare/index.ts";

const checks = await allChecks(serviceContract, ownChecks(serviceContract));

describe("the checks", () => {
  test("are at least 110, with unique names", () => {
    const names = checks.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(110);
  });

  test("cover every operation", () => {
    const operations = new Set(checks.map(({ operation }) => operation));
    expect(serviceContract.ids.filter((id) => !operations.has(id))).toEqual([]);
  });

  test("need only existing checks, without cycles", () => {
    const byName = new Map(checks.map((check) => [check.name, check]));
    const visit = (name: string, way: readonly string[]): void => {
      expect(way, "a cycle").not.toContain(name);
      expect(byName.has(name), name).toBe(true);
      for (const need of byName.get(name)?.needs ?? []) visit(need, [...way, name]);
    };
    for (const { name } of checks) visit(name, []);
  });

  test("are contract or behaviour unless they have an assumption", () => {
    const wrong = checks.filter(({ kind, assumption }) => kind === "assumption" && assumption === undefined);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

test("each claim of an assumption about a response has a check with its name", () => {
  const names = checks.map(({ assumption, name }) => `${assumption} ${name.replace(/^[^:]*: /, "")}`);
  const claims = responseClaims.map(({ assumption, text }) => `${assumption} ${text}`);
  expect(claims.filter((claim) => !names.includes(claim))).toEqual([]);
});

test("an assumption has a check, or a reason why not", () => {
  const wrong = assumptionsOf().filter(
    (assumption) => checks.some((check) => check.assumption === assumption.id) === "untried" in assumption,
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
});
