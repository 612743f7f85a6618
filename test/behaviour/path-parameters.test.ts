import { describe, expect, test } from "vitest";
import { expectError } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { configure, read, recordOf, stateOf, update } from "../setup/resources.ts";

/** Values for `key=…`, an id and `uri-parameter-one=…`. */
const values = [
  ["a space", "summer dress"],
  ["quotes", `"a" 'b' \`c\``],
  ["an equals sign", "a=b=c"],
  ["the prefixes themselves", "key=uri-parameter-one="],
  ["a slash", "a/b/c"],
  ["dots and a slash", "../a/./b"],
  ["a percent sign", "100%"],
  ["what looks percent-encoded", "%41%2F%"],
  ["a question mark, a hash and an ampersand", "a?b#c&d"],
  ["a plus sign", "a+b"],
  ["letters of all kinds", "größe çà 日本語 עברית"],
  ["an emoji", "👗👩‍👩‍👧"],
  ["a line break", "a\nb\r\nc"],
  ["line and paragraph separators", "a\u2028b\u2029c"],
  ["control characters", "\u0000\u0007\u001b[31m"],
  ["backslashes and braces", "\\{id}:key*"],
  ["a name of every object", "__proto__"],
  ["a single dot in a name", "constructor.prototype"],
] as const;

onAllTransports("path parameters", {}, (mock) => {
  test.each(values)("a key can contain %s", async (_name, key) => {
    const project = newProject();
    expect(await read(mock, project, `/key=${encodeURIComponent(key)}`)).toMatchObject({ version: 1 });
    expect((await stateOf(mock, project)).resources.at(-1)?.key).toBe(key);
    // Both forms name the same resource. The encoded text names a different resource.
    await configure(mock, project, { unknownIds: "not-found" });
    expect(await read(mock, project, `/key=${encodeURIComponent(key)}`)).toMatchObject({ version: 1 });
    const twice = encodeURIComponent(encodeURIComponent(key));
    if (key !== encodeURIComponent(key)) {
      await expectError(await mock.resource(project, `/key=${twice}`), "ResourceNotFound", { field: "key" });
    }
  });

  test.each(["%3D", "%3d"])("the = before a key may be encoded as %s", async (equals) => {
    for (const [key, sent] of [
      ["abc", "abc"],
      ["a=b=c", `a${equals}b=c`],
      ["=", equals],
      ["größe 100%", "gr%C3%B6%C3%9Fe%20100%"],
      ["%FF", "%FF"],
    ] as const) {
      const project = newProject();
      await read(mock, project, `/key${equals}${sent}`);
      expect(await lastRequest(mock, project)).toMatchObject({
        operation: "getResourceByKey",
        request: { pathParameters: { key } },
      });
      await configure(mock, project, { unknownIds: "not-found" });
      expect(await read(mock, project, `/key=${sent}`)).toMatchObject({ version: 1 });
    }
    const path = `/artificially-complex/path/uri-parameter-one${equals}a${equals}b/two`;
    const project = newProject();
    expect((await mock.resource(project, path, json("POST", {}))).status).toBe(200);
    expect(await lastRequest(mock, project)).toMatchObject({ request: { pathParameters: { uriParameterOne: "a=b" } } });
    await expectError(await mock.resource(project, `/key${equals}`), "InvalidField", { field: "key" });
    await expectError(await mock.resource(project, `/key${equals}abc`, update(1)), "MethodNotAllowed");
    // Encoded twice, it is part of an id.
    await read(mock, project, `/key%25${equals.slice(1)}abc`);
    expect(await lastRequest(mock, project)).toMatchObject({ request: { pathParameters: { id: `key${equals}abc` } } });
  });

  const ids = values.filter(([, value]) => !value.startsWith("key="));

  test.each(ids)("an id can contain %s", async (_name, id) => {
    const project = newProject();
    const path = `/${encodeURIComponent(id)}`;
    expect((await mock.resource(project, path, update(1))).status).toBe(200);
    expect((await recordOf(mock, project, id))?.version).toBe(2);
    expect((await mock.resource(project, path, { method: "DELETE" })).status).toBe(200);
    await expectError(await mock.resource(project, path), "ResourceNotFound", { field: "id" });
  });

  test.each(values)("uri-parameter-one and -two can contain %s", async (_name, value) => {
    const project = newProject();
    const encoded = encodeURIComponent(value);
    const path = `/artificially-complex/path/uri-parameter-one=${encoded}/${encoded}`;
    expect((await mock.resource(project, path, json("POST", {}))).status).toBe(200);
    expect(await lastRequest(mock, project)).toMatchObject({
      operation: "runComplexOperation",
      request: { pathParameters: { uriParameterOne: value, uriParameterTwo: value } },
    });
  });

  test.each(values)("a project key can contain %s", async (_name, value) => {
    const project = `${newProject()} ${value}`;
    expect((await mock.resource(project, "/a", update(1))).status).toBe(200);
    expect(await mock.has(project)).toBe(true);
    expect(await read(mock, project, "/a")).toMatchObject({ version: 2 });
  });

  test.each([
    ["a percent sign by itself", "100%", "100%"],
    ["half an encoding", "%4", "%4"],
    ["an equals sign that is not encoded", "a=b", "a=b"],
    ["other marks as they stand", "a+b@c:d;e,f!$'()*", "a+b@c:d;e,f!$'()*"],
    ["an encoding that needs none", "%61bc", "abc"],
  ])("a key is accepted with %s", async (_name, sent, key) => {
    const project = newProject();
    await read(mock, project, `/key=${sent}`);
    expect((await stateOf(mock, project)).resources.at(-1)?.key).toBe(key);
  });

  describe("a value is required", () => {
    test.each([
      ["/key=", {}, "key"],
      ["/artificially-complex/path/uri-parameter-one=/two", json("POST", {}), "uriParameterOne"],
    ])("a request to %s returns 400", async (path, init, field) => {
      const message = `${field}: expected a value, found nothing`;
      await expectError(await mock.resource(newProject(), path, init), "InvalidField", { field, message });
    });
  });
});
