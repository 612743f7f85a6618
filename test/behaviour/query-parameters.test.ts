import { describe, expect, test } from "vitest";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { newProject, onAllTransports } from "../setup/mock.ts";
import { complexPath, exampleRequests } from "../setup/requests.ts";

/** A resource as a value of `unionParameter`. */
const resource = { version: 3, objectTypeProperty: { arrayOfIntExample: [1] } };

const floats = {
  right: ["0", "1.5", "-2.5", "+1", ".5", "5.", "1e3", "-1.5E-7", "007"],
  wrong: ["", " ", "abc", "1,5", "0x10", "1e", "NaN", "Infinity", "1e999", "1 ", "--1", "٣", "1_000"],
  expected: "a decimal number",
};
const integers = {
  right: ["0", "-7", "+42", "007", "2147483647", "-2147483648"],
  wrong: ["", "1.5", "1.0", "1e3", "abc", "0x1", "2147483648", "-2147483649", "true", "1 2"],
  expected: "a whole number from -2147483648 to 2147483647",
};
const booleans = {
  right: ["true", "false"],
  wrong: ["", "True", "1", "0", "yes", "truefalse"],
  expected: "true or false",
};
const texts = { right: ["", "linen", "größe 😀", "a&b=c", "a\nb", "%", "null", "[]"], wrong: [], expected: "" };
const objects = {
  right: ["{}", '{"a":[1,null]}', ' {"__proto__": {"x": 1}} '],
  wrong: ["", "1", "null", "[]", '"{}"', "{a:1}", "{", "a=1"],
  expected: "a JSON object",
};
const unions = {
  right: [
    "1.5",
    "-2",
    "2024-05-17T09:30:00.000Z",
    "2024-02-29T00:00:00+01:00",
    '"2024-05-17T09:30:00.000Z"',
    '"2024-05-17T09:30:00\\u005a"',
    JSON.stringify(resource),
    JSON.stringify({ ...resource, extra: true }),
  ],
  wrong: [
    "",
    "linen",
    "true",
    "[]",
    "null",
    '"linen"',
    '"2024-05-17"',
    '"2024-05-17T09:30:00Z',
    "2024-05-17",
    "2024-05-17T09:30:00",
    "{}",
    JSON.stringify({ ...resource, version: "3" }),
    JSON.stringify({ version: 3 }),
    JSON.stringify({ version: 3, objectTypeProperty: { arrayOfIntExample: ["1"] } }),
  ],
  expected: "a decimal number, a date-time (RFC 3339) or a JSON object of ObjectTestType",
};

interface Values {
  right: readonly string[];
  wrong: readonly string[];
  expected: string;
}

const complex = exampleRequests.runComplexOperation.init;
const upload = exampleRequests.uploadImage.init;
const limits = {
  right: ["0", "500", "20.0", "1e1", "+5"],
  wrong: ["", "-1", "501", "0.5", "abc", "1e3"],
  expected: "a whole number from 0 to 500",
};
const offsets = {
  right: ["0", "10000", "3.0"],
  wrong: ["-1", "10001", "1.5", "abc"],
  expected: "a whole number from 0",
};

/** Sections 4.1 to 4.3 of the interface, and the parameters of `getResourceById`, `runComplexOperation` and `uploadImage`. */
const parameters: [operation: number, name: string, values: Values, path: string, init?: RequestInit][] = [
  [1, "stringParameter", texts, ""],
  [1, "floatParameter", floats, ""],
  [1, "integerParameter", integers, ""],
  [1, "withMarkdownDescription", floats, ""],
  [1, "objectParameter", objects, ""],
  [1, "arrayOfString", texts, ""],
  [1, "arrayOfStringWithDescription", texts, ""],
  [1, "unionParameter", unions, ""],
  [2, "optionalQueryParameter", texts, "/some-id"],
  [2, "secondOptionalQueryParameter", texts, "/some-id"],
  [4, "fuzzy", booleans, "/searchApiPattern"],
  [4, "fuzzyLevel", { ...floats, right: ["0", "1.5", "10", "-1"] }, "/searchApiPattern"],
  [4, "staged", booleans, "/searchApiPattern"],
  [4, "filter", texts, "/searchApiPattern"],
  [4, "filter.facets", texts, "/searchApiPattern"],
  [4, "filter.query", texts, "/searchApiPattern"],
  [4, "facet", texts, "/searchApiPattern"],
  [4, "text.en", texts, "/searchApiPattern"],
  [4, "text.de-AT", texts, "/searchApiPattern"],
  [9, "queryParameterOne", floats, complexPath, complex],
  [9, "queryParameterTwo", texts, complexPath, complex],
  [12, "limit", limits, "/sorted-query-parameters"],
  [12, "offset", offsets, "/sorted-query-parameters"],
  [12, "withTotal", booleans, "/sorted-query-parameters"],
  [12, "expand", texts, "/sorted-query-parameters"],
  [12, "var.aZ09", texts, "/sorted-query-parameters"],
  [13, "filename", texts, "/images", upload],
  [13, "variant", integers, "/images", upload],
  [13, "sku", texts, "/images", upload],
  [13, "staged", booleans, "/images", upload],
];

const queried = (path: string, name: string, ...values: string[]) =>
  `${path}?${new URLSearchParams(values.map((value) => [name, value]))}`;

onAllTransports("query parameters", {}, (mock) => {
  test.each(parameters)("operation %s: %s accepts the values of its type", async (_id, name, { right }, path, init) => {
    const project = newProject();
    for (const value of right) {
      const response = await mock.resource(project, queried(path, name, value), init);
      expect([value, response.status]).toEqual([value, 200]);
      expect(await lastRequest(mock, project)).toMatchObject({ violations: [], unnamed: [] });
    }
  });

  test.each(parameters.filter(([, , { wrong }]) => wrong.length > 0))(
    "operation %s: %s rejects other values, and names the parameter",
    async (_id, name, { wrong, expected }, path, init) => {
      const project = newProject();
      for (const value of wrong) {
        const response = await mock.resource(project, queried(path, name, value), init);
        const message = expect.stringContaining(`${name}: expected ${expected}`);
        await expectError(response, "InvalidField", { field: name, message });
      }
    },
  );

  describe("checkResourceExists accepts the parameters of queryResources except unionParameter", () => {
    test.each(parameters.filter(([operation, name]) => operation === 1 && name !== "unionParameter"))(
      "as operation %s: %s",
      async (_id, name, { right, wrong }) => {
        const project = newProject();
        const head = (value: string) => mock.resource(project, queried("", name, value), { method: "HEAD" });
        for (const value of right) await expectBodiless(await head(value), 200);
        for (const value of wrong) await expectBodiless(await head(value), 400);
      },
    );

    test("unionParameter is unknown there: accepted with any value", async () => {
      const project = newProject();
      const response = await mock.resource(project, "?unionParameter=linen", { method: "HEAD" });
      await expectBodiless(response, 200);
      expect(await lastRequest(mock, project)).toMatchObject({ unnamed: ["unionParameter"] });
    });
  });

  test.each([
    ["?arrayOfString=a&arrayOfString=b&arrayOfStringWithDescription=c&arrayOfStringWithDescription=c"],
    ["/sorted-query-parameters?where=version>0&where=version<9&sort=version&sort=id&expand=a&expand=b"],
    ["/sorted-query-parameters?where=version in :v&var.v=1&var.v=4"],
  ])("repeatable parameters are accepted several times: %s", async (path) => {
    expect((await mock.resource(newProject(), path)).status).toBe(200);
  });

  test.each([
    ["?stringParameter=a&stringParameter=a", "stringParameter"],
    ["?floatParameter=1&floatParameter=1", "floatParameter"],
    ["?unionParameter=1&unionParameter=2", "unionParameter"],
    ["/some-id?optionalQueryParameter=a&optionalQueryParameter=b", "optionalQueryParameter"],
    ["/searchApiPattern?text.en=a&text.en=b", "text.en"],
    ["/sorted-query-parameters?limit=1&limit=2", "limit"],
    ["/sorted-query-parameters?withTotal=true&withTotal=true", "withTotal"],
  ])("other parameters are rejected when repeated: %s", async (path, field) => {
    const response = await mock.resource(newProject(), path);
    await expectError(response, "InvalidField", { field, message: `${field}: expected one value, found several` });
  });

  test.each([
    ["?nonsense=1&nonsense=2&limit=abc", ["nonsense", "nonsense", "limit"]],
    ["?StringParameter=1", ["StringParameter"]],
    ["?__proto__=1&constructor=2&toString=3", ["__proto__", "constructor", "toString"]],
    ["/searchApiPattern?text.eng=a&text.en-at=a&text.EN=a&text.en%0A=a&text=a", 5],
    ["/sorted-query-parameters?var.a-b=1&var.=2&var=3&Var.a=4&xvar.a=5", 5],
    ["/key=some-key?optionalQueryParameter=1", ["optionalQueryParameter"]],
    ["?=1&&a", ["", "a"]],
  ])("unknown parameters are accepted and recorded in the journal: %s", async (path, unnamed) => {
    const project = newProject();
    expect((await mock.resource(project, path)).status).toBe(200);
    const journaled = (await lastRequest(mock, project))?.unnamed;
    expect(typeof unnamed === "number" ? journaled?.length : journaled).toEqual(unnamed);
  });

  test("a path parameter's name has no meaning in the query", async () => {
    const project = newProject();
    const response = await mock.resource(project, "/some-id?id=other&projectKey=other");
    expect([response.status, response.headers.get("Mock-Source")]).toEqual([200, "fixture:getResourceById/200.json"]);
    expect(await lastRequest(mock, project)).toMatchObject({
      request: { pathParameters: { projectKey: project, id: "some-id" } },
      unnamed: ["id", "projectKey"],
    });
  });

  test("the response names every invalid parameter", async () => {
    const response = await mock.resource(newProject(), "?floatParameter=a&integerParameter=b&stringParameter=c");
    const errors = await expectError(response, "InvalidField", { field: "floatParameter" });
    expect(errors.map(({ field }) => field)).toEqual(["floatParameter", "integerParameter"]);
  });
});
