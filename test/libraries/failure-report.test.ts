import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { failureReport } from "../../src/library/testing/failure-report.ts";
import { json } from "../setup/mock.ts";

const again = { rerunCommand: "again" };

test("the report of a failed test shows requests, error responses and violations, oldest first", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("cart-test");
  const resource = `${project.baseUrl}/resource`;
  await mock.fetch(`${resource}/shirt?optionalQueryParameter=a%20b`);
  await mock.fetch(`${resource}/shirt`, json("POST", { version: 7, actions: [] }));
  await mock.fetch(`${resource}?integerParameter=many`);
  await mock.fetch(`${resource}/images`, {
    method: "POST",
    headers: { "Content-Type": "image/jpeg" },
    body: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]),
  });

  const lines = (await failureReport(project, { rerunCommand: "npx vitest run cart.test.ts" })).split("\n");

  expect(lines.map((line) => line.replace(/\d\d:\d\d:\d\d\.\d{3}/, "time"))).toEqual([
    "resource-mock: project cart-test received 4 requests",
    expect.stringMatching(
      /^ {2}time GET \S+\/shirt\?optionalQueryParameter=a\+b → 200 \(getResourceById, fixture:.*\)$/,
    ),
    "      changed: Resource shirt created (version 1)",
    "  time POST /cart-test/resource/shirt → 409 (updateResource, error)",
    "      why: 409: the client sent version 7, the stored version is 1",
    '      request body: {"version":7,"actions":[]}',
    expect.stringMatching(/^ {6}response body: \{"statusCode":409,.*…$/),
    "  time GET /cart-test/resource?integerParameter=many → 400 (queryResources, error)",
    '      why: 400: integerParameter: expected a whole number from -2147483648 to 2147483647, found "many"',
    expect.stringMatching(/^ {6}response body: \{"statusCode":400,/),
    '      contract violation: integerParameter: expected a whole number from -2147483648 to 2147483647, found "many"',
    expect.stringMatching(/^ {2}time POST \S+\/images → 200 /),
    expect.stringMatching(/^ {6}changed: Image \S{36} created \(version 1\)$/),
    "      request body: 4 bytes",
    "Run the test again: npx vitest run cart.test.ts",
  ]);
});

test("the report labels off-contract responses, and shows their bodies in one line", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("page-test");
  await project.rule({ raw: { status: 200, body: "<html>\r\n  <h1>Sign in</h1>\n</html>" } });
  await mock.fetch(`${project.baseUrl}/resource`);

  const [, request, why, body] = (await failureReport(project, again)).split("\n");

  expect(request).toMatch(/ → 200 \(queryResources, rule:r-1, off-contract\)$/);
  expect(body).toBe("      response body: <html> <h1>Sign in</h1> </html>");
  expect(why).toBe("      why: 200: the rule r-1 responded");
});

test("the report says why each response failed, with the scenario, rule or function and a link", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("reasons test");
  const cart = `${project.baseUrl}/resource/namespace-action-with-example`;
  const update = json("POST", { version: 1, actions: [{ action: "doSomeThing" }] });
  await project.use("concurrent-writer");
  await mock.fetch(`${project.baseUrl}/resource/shirt`, update);
  await project.use("server-error", { times: 1 });
  await mock.fetch(cart);
  await project.rule({ fault: "CONNECTION_RESET_BY_PEER", times: 1 });
  await mock.fetch(cart).catch(() => {});
  await project.rule({ fault: "TRUNCATED_BODY", times: 1 });
  await mock
    .fetch(cart)
    .then(
      (response) => response.text(),
      () => {},
    )
    .catch(() => {});
  const remove = project.handle("getCart", () => {
    throw new Error("no cart");
  });
  await mock.fetch(cart);
  remove();
  await project.settings.set({ auth: "strict" });
  await mock.fetch(cart, { headers: { Authorization: "Bearer my-secret-token" } });
  await project.settings.set({ auth: "off" });
  await mock.fetch(cart);

  const report = await failureReport(project, { ...again, server: "http://mock.test:8080" });
  const ids = (await project.requests.list()).map(({ id }) => id).reverse();
  const link = (index: number) =>
    `dashboard, while the mock runs: http://mock.test:8080/__admin/ui#/projects/reasons%20test/requests/${ids[index]}`;

  expect(report.match(/(?<=^ {6})(why:|dashboard,) .*/gm)).toEqual([
    "why: 409: the client sent version 1; version 2 was written just before by the effect conflict of a rule or scenario",
    "why: The scenario concurrent-writer makes another client write first.",
    link(0),
    "why: 500: the scenario server-error responded",
    "why: The response says: The cart backend failed to price the cart.",
    link(1),
    "why: Connection broken: rule r-1 resets the connection",
    link(2),
    "why: Connection broken: rule r-2 sends a truncated body",
    link(3),
    "why: 500: function f-1 threw: Error: no cart",
    link(4),
    "why: 401: The token is unknown: this server did not issue it. POST /oauth/token issues tokens",
    link(5),
  ]);
  expect(report).not.toContain("my-secret-token");
});

test("the report explains successful requests: what evolved changed, and which rules did not apply", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("success-test");
  const when = { query: { limit: "5" } };
  await project.rule({ operation: "queryWithSortedParameters", when, respond: { status: 503 } });
  await project.rule({ operation: "getCart", respond: { status: 503 } });
  await mock.fetch(`${project.baseUrl}/resource/sorted-query-parameters?limit=6`);
  await project.use("evolved");
  const response = await mock.fetch(`${project.baseUrl}/resource/shirt`);

  const lines = (await failureReport(project, again)).split("\n");
  // The seed of the project is fixed, so the response always has more than ten changes.
  const { evolved = [] } = await project.requests.get(response.headers.get("Mock-Request-Id") ?? "");

  expect(lines.map((line) => line.replace(/^ {2}\d\S+/, ""))).toEqual([
    "resource-mock: project success-test received 2 requests",
    expect.stringMatching(/→ 200 \(queryWithSortedParameters, /),
    '      rule r-1 skipped: query parameter limit is "6", expected "5"',
    expect.stringMatching(/→ 200 \(getResourceById, scenario:evolved\)$/),
    "      why: The scenario evolved changed the response.",
    ...evolved.slice(0, 10).map((change) => `      evolved: ${change}`),
    "      …",
    "      changed: Resource shirt created (version 1)",
    "Run the test again: again",
  ]);
});

test("a line of the report is short and has no control characters", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("lines-test");
  await project.rule({ raw: { status: 500, body: `\u001b[31m${"red ".repeat(1000)}` } });
  await mock.fetch(`${project.baseUrl}/${"x".repeat(2000)}`);
  await mock.fetch(`${project.baseUrl}/resource`);

  const texts = Array.from({ length: 200 }, () => "no number");
  const body = { objectTypeProperty: { arrayOfIntExample: texts } };
  await project.rules.clear();
  await mock.fetch(`${project.baseUrl}/resource`, json("POST", body));

  const lines = (await failureReport(project, again)).split("\n");

  expect(lines.length).toBeLessThan(30);
  expect(lines.filter((line) => line.startsWith("      contract violation: "))).toHaveLength(10);
  expect(lines).toContainEqual(expect.stringMatching(/^ {6}… \d+ more contract violations$/));
  for (const line of lines) expect(line).toMatch(/^\P{Cc}{1,400}$/u);
});

test("the report shows earlier failed requests, and why they failed", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("early-test");
  await mock.fetch(`${project.baseUrl}/resource/first`);
  await project.use("conflict", { times: 1 });
  await mock.fetch(`${project.baseUrl}/resource/shirt`, json("POST", { version: 7, actions: [] }));
  for (let number = 1; number <= 60; number++) await mock.fetch(`${project.baseUrl}/resource/item-${number}`);

  const lines = (await failureReport(project, again)).split("\n");

  expect(lines[0]).toBe("resource-mock: project early-test received 62 requests");
  expect(lines[1]).toContain("/shirt → 409");
  expect(lines[2]).toBe("      why: 409: the scenario conflict responded");
  expect(lines).toContain("  … 11 earlier requests not shown");
  expect(lines.at(-3)).toContain("/item-60 ");
});
