import { expect, test } from "vitest";
import result from "../../fixtures/runComplexOperation/200.json" with { type: "json" };
import { expectError } from "../setup/errors.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { complexPath } from "../setup/requests.ts";

/** Section 2.5 of the interface, with its own spelling. */
const whole = {
  fifteenthProperty: "o",
  twelthProperty: "l",
  eleventhPropery: "k",
  eigthProperty: "h",
  ninthProperty: "i",
  tenthProperty: "j",
  thirteenthProperty: "m",
  fourteenthProperty: "n",
  lastModifiedBy: { firstName: "Ada", lastName: "Lovelace" },
  createdBy: { firstName: "Grace", lastName: "Hopper" },
  lastModifiedAt: "2024-05-17T11:30:00+02:00",
  createdAt: "2024-05-17T09:30:00.000Z",
  custom: "c",
  key: "k",
  version: "1",
  id: "1",
};

const strings = Object.entries(whole)
  .filter(([name, value]) => typeof value === "string" && !["version", "createdAt", "lastModifiedAt"].includes(name))
  .map(([name]) => name);

onAllTransports("runComplexOperation", {}, (mock) => {
  test.each([
    ["the whole body, out of order", whole],
    ["an empty body", {}],
    ["the version as a number", { ...whole, version: 1.5 }],
    ["unknown fields", { ...whole, eighthProperty: 8, eleventhProperty: 11, more: null }],
  ])("returns the fixture for %s", async (_name, body) => {
    const response = await mock.resource(newProject(), `${complexPath}?queryParameterOne=1.5`, json("POST", body));
    expect([response.status, await response.json()]).toEqual([200, result]);
    expect(response.headers.get("Mock-Source")).toBe("fixture:runComplexOperation/200.json");
  });

  test.each(strings)("the value %s is a string", async (name) => {
    for (const value of [1, null, {}, []]) {
      const response = await mock.resource(newProject(), complexPath, json("POST", { ...whole, [name]: value }));
      const message = expect.stringContaining(`/${name}: expected string, found`);
      await expectError(response, "InvalidField", { field: `/${name}`, message });
    }
  });

  test.each([
    ["version", true, "/version", "expected string or number, found true"],
    ["createdBy", "Ada", "/createdBy", 'expected object, found "Ada"'],
    ["createdBy", { firstName: 1 }, "/createdBy/firstName", "expected string, found 1"],
    ["createdAt", 1715938200, "/createdAt", "expected string, found 1715938200"],
    ["createdAt", "2024-05-17", "/createdAt", "expected a date-time (RFC 3339"],
    ["lastModifiedAt", "2024-05-17T09:30:00+0200", "/lastModifiedAt", "expected a date-time"],
  ])("a %s of %j is 400 with the location", async (name, value, field, part) => {
    const response = await mock.resource(newProject(), complexPath, json("POST", { ...whole, [name]: value }));
    await expectError(response, "InvalidField", { field, message: expect.stringContaining(part) });
  });
});
