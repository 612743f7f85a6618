import { expect, test } from "vitest";
import { MAX_MATCHED_TEXT } from "../../src/contract/index.ts";
import { compileMatcher, matches, View } from "../../src/rules/matching/matcher.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";

// 1,000 rules can have such a condition, so a comparison must end when its room is used up.

/** Returns a list that counts the reads of its items. */
function counted(items: unknown[]) {
  const reads = { count: 0 };
  const get = (list: unknown[], name: string | symbol) => {
    if (typeof name === "string" && /^\d+$/.test(name)) reads.count++;
    return Reflect.get(list, name);
  };
  return { list: new Proxy(items, { get }), reads };
}

function viewOf(extra: unknown): View {
  return new View({
    operationId: "createResource",
    method: "POST",
    path: "/shop/resource",
    pathParameters: { projectKey: "shop" },
    query: "",
    headers: {},
    requestBody: "{}",
    json: { value: { extra } },
  });
}

const matcherOf = (extra: unknown) =>
  compileMatcher(
    { body: { extra } },
    { operations: serviceContract.operations, problems: [], addresses: serviceContract.addresses },
  );

test.each<[string, unknown, unknown, number]>([
  ["the items", { contains: -1 }, 0, 1000],
  ["the items of a nested list", { contains: { contains: -1 } }, [0], 500],
  ["the characters", { contains: { matches: "b" } }, "a".repeat(100), 41],
  ["the characters of nested lists", { contains: { contains: { matches: "b" } } }, ["a".repeat(100)], 41],
])("a comparison stops when it has used up the room of %s", async (_name, condition, item, most) => {
  const { list, reads } = counted(Array.from({ length: 5000 }, () => item));
  expect(matches(await matcherOf(condition), viewOf(list))).toBe(false);
  expect(reads.count).toBeLessThanOrEqual(most + 1);
});

test("the text of a value is created once for all patterns, up to its limit", async () => {
  const { list, reads } = counted(Array.from({ length: 5000 }, () => 0));
  const view = viewOf(list);
  for (const pattern of ["a", "b", "c"]) expect(matches(await matcherOf({ matches: pattern }), view)).toBe(false);
  expect(reads.count).toBeLessThanOrEqual(MAX_MATCHED_TEXT + 1);
});
