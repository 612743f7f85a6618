import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ControlOperation } from "../../src/control/operation.ts";
import { controlOperations } from "../../src/control/operations.ts";
import { useMock } from "../setup/mock.ts";

/** Streams go on, and waits are waited for: these have tests of their own. */
const unending = ["streamEvents", "streamProjectEvents", "waitForRequests", "waitForMatch"];
const operations = controlOperations.filter(({ id }) => !unending.includes(id));

const names = ["a", "conflict", "r-1", "__proto__", "constructor", "", "ü/ ?#%", "\ud800", "x".repeat(300)];
const text = fc.oneof(fc.constantFrom(...names), fc.string({ unit: "binary", maxLength: 20 }));

/** Members that bodies of the control API have, so that what is made up gets past the first check now and then. */
const members = [
  "resources from generate seed name now frozen advance scopes expiresIn match order count atLeast atMost headers body",
  "path status operation rules respond when times probability state states action params project id key version",
  "objectTypeProperty deleted images lastWritten namespaceAction auth latency fixed numbered base64 contentType",
]
  .join(" ")
  .split(" ");
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      1,
      -1,
      1.5,
      1e300,
      "",
      "a",
      "p",
      "getCart",
      "updateResource",
      "4xx",
      {},
      [],
    ),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...members), tie("value"), { maxKeys: 5 }),
    fc.record({ objectTypeProperty: fc.constant({}), id: fc.constantFrom("a", "b"), key: fc.constantFrom("k", "l") }),
    fc.record({ matches: fc.constantFrom("^a", "(", "(a+)+$", "") }),
  ),
})).value;
const body = fc.oneof(
  { weight: 8, arbitrary: value.map((each) => JSON.stringify(each)) },
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("", "{", "[".repeat(1000), '{"__proto__":{"a":1},"from":"__proto__"}'),
);

function query({ parameters }: ControlOperation): fc.Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name);
  const entry = fc.tuple(
    known.length > 0 ? fc.constantFrom(...known) : text,
    fc.oneof(text, fc.constantFrom("0", "1", "-1")),
  );
  return fc.array(entry, { maxLength: 3 }).map((entries) => String(new URLSearchParams(entries)));
}

function address({ path }: ControlOperation, values: readonly string[]): string {
  let next = 0;
  return path.replace(/\{\w+\}/g, () => encodeURIComponent((values[next++] ?? "a").toWellFormed()));
}

describe("whatever is sent, it is answered as declared, and never as our defect", () => {
  const mock = useMock("in process");

  test.each(operations)("$id", async (operation) => {
    // Every answer is held against the description by the mock itself: a status that it does not have is a defect.
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 2 }), query(operation), body, async (values, sent, content) => {
        const target = `${address(operation, values)}${sent === "" ? "" : `?${sent}`}`;
        const { method } = operation;
        const headers = { "Content-Type": "application/json" };
        const answer = await mock.fetch(target, method === "GET" ? {} : { method, headers, body: content });
        expect([target, answer.status]).toEqual([target, expect.toSatisfy((status) => status < 500)]);
        await answer.body?.cancel();
      }),
      { numRuns: 150 },
    );
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});
