import fc from "fast-check";
import { expect, test } from "vitest";
import { declaredStatuses } from "../../src/contract/operation-table.ts";
import { findProblems } from "../../src/contract/validator.ts";
import { readFiles } from "../../src/library/mock.ts";
import type { Raw } from "../../src/rules/effects/stub-effects.ts";
import type { Rule } from "../../src/rules/scenario.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { addRule } from "../setup/activation.ts";
import { json, text } from "../setup/arbitraries.ts";
import { lastRequest } from "../setup/journal.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { configure } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

const mock = useMock("in process", { checkResponses: false, wait: async () => {} });
const { scenarios } = await readFiles();

const content = fc.oneof(
  fc.constant({}),
  fc.record({ body: fc.oneof(json, text) }),
  fc.record({ bodyBase64: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")) }),
);
const raw = fc
  .tuple(fc.integer({ min: 200, max: 599 }), content)
  .map(([status, body]): Raw => ({ status, ...([204, 205, 304].includes(status) ? {} : body) }));

const respond = fc
  .constantFrom(...new Set(serviceContract.operations.flatMap(declaredStatuses)))
  .map((status) => ({ status }));

/** A response that every operation declares: the steps of a sequence must have an operation in common. */
const failure = fc.constantFrom(429, 500, 503).map((status) => ({ status }));

const rule: fc.Arbitrary<Rule> = fc.oneof(
  fc.record({ raw, times: fc.constantFrom(1, 2) }),
  fc.record({ respond, times: fc.constantFrom(1, 2) }),
  fc
    .record({ sequence: fc.array(fc.oneof(fc.constant({}), fc.record({ raw }), fc.record({ respond: failure }))) })
    .filter(({ sequence }) => sequence.length > 0),
);

const prefer = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc.constantFrom(
    "code=500",
    "code=999",
    "dynamic=true; seed=1",
    ...[...scenarios.keys()].map((name) => `scenario=${name}`),
  ),
);

const request = fc.record({
  example: fc.constantFrom(...everyOperation),
  query: fc.constantFrom("", "?floatParameter=x"),
  prefer,
});

/** Expects a response that the contract of the operation allows. */
async function expectValid(response: Response, operationId: string): Promise<void> {
  const declared = serviceContract.find(operationId)?.responses[response.status];
  expect(declared, `${operationId} ${response.status}`).toBeDefined();
  const body = await response.text();
  if (declared?.schema) expect(await findProblems(declared.schema, JSON.parse(body))).toEqual([]);
  else expect(body).toBe("");
}

test("every response is valid by the contract, or labelled as off-contract", { tags: ["slow"] }, async () => {
  let labelled = 0;
  let limited = 0;
  const limit = fc.constantFrom(null, { limit: 2, window: 1000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 3 }),
      fc.array(request, { maxLength: 5 }),
      limit,
      async (rules, sent, rateLimit) => {
        const project = newProject();
        await configure(mock, project, { rateLimit });
        for (const each of rules) await addRule(mock, project, each);
        for (const { example, query, prefer } of sent) {
          const [operation, { path, init }] = example;
          const headers = { ...(init.headers as Record<string, string>), ...(prefer && { Prefer: prefer }) };
          const response = await mock.resource(project, path + query, { ...init, headers }).catch(() => undefined);
          // A scenario broke the connection.
          if (!response) continue;
          const isLabelled = response.headers.get("Mock-Off-Contract") === "true";
          expect((await lastRequest(mock, project))?.offContract).toBe(isLabelled);
          expect(response.headers.has("X-RateLimit-Limit")).toBe(rateLimit !== null);
          if (response.status === 429 && response.headers.get("Mock-Source") === "error") limited++;
          if (isLabelled) {
            labelled++;
            expect(response.headers.get("Mock-Source")).toMatch(/^(rule|scenario):/);
          } else if (prefer !== "scenario=truncated-body") await expectValid(response, operation);
        }
        await mock.fetch(`/__admin/projects/${project}`, { method: "DELETE" });
      },
    ),
    runs(80, 300),
  );
  expect(labelled).toBeGreaterThan(15);
  expect(limited).toBeGreaterThan(5);
});
