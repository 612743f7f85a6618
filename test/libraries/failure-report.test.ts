import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { failureReport } from "../../src/testing/failure-report.ts";
import { json } from "../setup/mock.ts";

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

  const lines = (await failureReport(project, "npx vitest run cart.test.ts")).split("\n");

  expect(lines.map((line) => line.replace(/\d\d:\d\d:\d\d\.\d{3}/, "time"))).toEqual([
    "resource-mock: project cart-test received 4 requests",
    expect.stringMatching(
      /^ {2}time GET \S+\/shirt\?optionalQueryParameter=a\+b → 200 \(getResourceById, fixture:.*\)$/,
    ),
    "  time POST /cart-test/resource/shirt → 409 (updateResource, error)",
    '      request body: {"version":7,"actions":[]}',
    expect.stringMatching(/^ {6}response body: \{"statusCode":409,.*…$/),
    "  time GET /cart-test/resource?integerParameter=many → 400 (queryResources, error)",
    expect.stringMatching(/^ {6}response body: \{"statusCode":400,/),
    '      contract violation: integerParameter: expected a whole number from -2147483648 to 2147483647, found "many"',
    expect.stringMatching(/^ {2}time POST \S+\/images → 200 /),
    "      request body: 4 bytes",
    "Run the test again: npx vitest run cart.test.ts",
  ]);
});

test("the report labels off-contract responses, and shows their bodies in one line", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("page-test");
  await project.rule({ raw: { status: 200, body: "<html>\r\n  <h1>Sign in</h1>\n</html>" } });
  await mock.fetch(`${project.baseUrl}/resource`);

  const [, request, body] = (await failureReport(project, "again")).split("\n");

  expect(request).toMatch(/ → 200 \(queryResources, rule:r-1, off-contract\)$/);
  expect(body).toBe("      response body: <html> <h1>Sign in</h1> </html>");
});

test("the report shows the last requests only", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("busy-test");
  for (let number = 1; number <= 120; number++) await mock.fetch(`${project.baseUrl}/resource/item-${number}`);

  const lines = (await failureReport(project, "again")).split("\n");

  expect(lines.slice(0, 2)).toEqual([
    "resource-mock: project busy-test received 120 requests",
    "  … 70 earlier requests",
  ]);
  expect(lines[2]).toContain("/item-71 ");
  expect(lines.at(-2)).toContain("/item-120 ");
});
