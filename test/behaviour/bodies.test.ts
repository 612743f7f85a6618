import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { expectError } from "../setup/errors.ts";
import { newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { complexPath } from "../setup/requests.ts";
import { configure, write } from "../setup/resources.ts";

/** The operations with a JSON body, each with a valid body. */
const jsonOperations = [
  ["POST", "", '{"objectTypeProperty":{}}', 201],
  ["PATCH", "", '{"objectTypeProperty":{}}', 201],
  ["PUT", "", '{"objectTypeProperty":{}}', 201],
  ["POST", complexPath, "{}", 200],
  ["POST", "/some-id", '{"version":1,"actions":[]}', 200],
  ["POST", "/namespace-action", '{"points":1}', 200],
] as const;

const utf8 = (text: string) => new TextEncoder().encode(text);

onAllTransports("JSON bodies", {}, (mock) => {
  describe.each(jsonOperations)("of %s %s", (method, path, good, status) => {
    const send = (body: BodyInit | undefined, contentType: string | undefined = "application/json") =>
      mock.resource(newProject(), path, {
        method,
        body,
        headers: contentType === "" ? {} : { "Content-Type": contentType },
      });

    test.each([
      ["application/json"],
      ["application/json; charset=utf-8"],
      ["APPLICATION/JSON"],
      ['application/json ; x="y"'],
    ])("the operation accepts a body as %s", async (contentType) => {
      expect((await send(good, contentType)).status).toBe(status);
    });

    test.each([
      ["white space around it", ` \r\n\t${good}\n`],
      ["a byte order mark", `\ufeff${good}`],
    ])("the operation accepts a body with %s", async (_name, body) => {
      expect((await send(utf8(body))).status).toBe(status);
    });

    test.each([
      ["text/plain"],
      ["application/xml"],
      ["application/x-www-form-urlencoded"],
      ["application/json-patch+json"],
      ["constructor"],
    ])("a body as %s gets 415", async (contentType) => {
      const message = expect.stringContaining("expected application/json, found");
      await expectError(await send(good, contentType), "UnsupportedMediaType", { field: "Content-Type", message });
    });

    test("a body without a content type gets 415", async () => {
      const message = "Content-Type: expected application/json, found nothing";
      await expectError(await send(utf8(good), ""), "UnsupportedMediaType", { field: "Content-Type", message });
    });

    test.each([
      ["cut short", good.slice(0, -1)],
      ["not JSON", "linen"],
      ["two values", `${good}${good}`],
      ["a raw line break in a string", '"a\nb"'],
    ])("a body that is %s gets 400", async (_name, body) => {
      const message = expect.stringMatching(/^The body is not JSON: .* \(line 1, column \d+\)$/);
      await expectError(await send(body), "InvalidJsonInput", { message });
    });

    test("a body that is not UTF-8 gets 400", async () => {
      const body = new Uint8Array([...utf8('{"a":"'), 0xff, 0xc3, 0x28, ...utf8('"}')]);
      const message = "The body is not JSON: expected valid UTF-8";
      await expectError(await send(body), "InvalidJsonInput", { message });
    });

    test.each(["gzip", "br, gzip", "x"])("a body that is encoded as %s gets 415", async (encoding) => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": encoding };
      const response = await mock.resource(newProject(), path, { method, body: gzipSync(good), headers });
      const message = `Content-Encoding: expected none or identity, found "${encoding}". The server does not decode bodies.`;
      await expectError(response, "UnsupportedMediaType", { field: "Content-Encoding", message });
    });

    test("the operation accepts a body with the encoding identity", async () => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "Identity" };
      expect((await mock.resource(newProject(), path, { method, body: good, headers })).status).toBe(status);
    });

    test.each([
      ["arrays", "[".repeat(100_000)],
      ["arrays that end", "[".repeat(100_000) + "]".repeat(100_000)],
      ["objects", '{"a":'.repeat(100_000)],
    ])("are 400 when they are %s, 100,000 levels deep", async (_name, body) => {
      await expectError(await send(body), "InvalidInput", {
        message: "The body: expected at most 200 levels of nesting, found more",
      });
    });

    test("strings in a body may have any number of brackets", async () => {
      const body = good === "{}" ? '{"a":"' : `${good.slice(0, -1)},"a":"`;
      expect((await send(`${body}${'[{\\"'.repeat(1000)}"}`)).status).toBe(status);
    });

    if (path === "/namespace-action") {
      test("a body is optional", async () => {
        expect((await send(undefined, "")).status).toBe(200);
        expect((await send(undefined)).status).toBe(200);
      });
    } else {
      test("a body is required", async () => {
        for (const contentType of ["", "application/json", "text/plain"]) {
          const message = "A body is required (application/json)";
          await expectError(await send(undefined, contentType), "InvalidInput", { message });
        }
      });
    }

    test("a body that is at least one byte larger than the setting maxBodyBytes gets 413", async () => {
      const project = newProject();
      await configure(mock, project, { maxBodyBytes: good.length });
      const sized = (body: string) =>
        mock.resource(project, path, { method, body, headers: { "Content-Type": "application/json" } });
      expect((await sized(good)).status).toBe(status);
      const expected = `maxBodyBytes: expected at most ${good.length} bytes, found`;
      const message = mock.url ? `${expected} ${good.length + 1}` : `${expected} more`;
      await expectError(await sized(`${good} `), "ContentTooLarge", { message, maxBytes: good.length });
    });
  });

  test("a body that is not JSON gets an error with the line and column", async () => {
    const send = async (body: string) => {
      const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
      const [error] = await expectError(await mock.resource(newProject(), "", init), "InvalidJsonInput");
      return error?.message;
    };
    const at = (line: number, column: number) => expect.stringContaining(`(line ${line}, column ${column})`);
    expect(await send('{\n  "sample": [1,]\n}')).toBe("The body is not JSON: Unexpected token ']' (line 2, column 16)");
    expect(await send('{\r\n  "sample": {"a": 1,}\n}')).toEqual(at(2, 21));
    expect(await send('{\n"a": ')).toEqual(at(2, 6));
    expect(await send('{ "a": "x')).toEqual(at(1, 10));
    expect(await send("[object Object]")).toEqual(at(1, 2));
  });

  describe.each(["enforce", "report", "off"] as const)("with validation %s", (validation) => {
    /** Sends the text as an extra member of each operation's body. */
    const sendAll = async (member: string) => {
      const project = newProject();
      await configure(mock, project, { validation });
      const headers = { "Content-Type": "application/json" };
      return Promise.all(
        jsonOperations.map(([method, path, good]) => {
          const body = good === "{}" ? `{${member}}` : `${good.slice(0, -1)},${member}}`;
          return mock.resource(project, path, { method, body, headers });
        }),
      );
    };

    test.each(["1e400", "-1e400", "9007199254740993", "9007199254740993.0", "1e-400"])(
      "are 400 with the number %s, which JavaScript cannot return unchanged",
      async (number) => {
        for (const response of await sendAll(`"a/b":[{"c":${number}}]`)) {
          const message = `/a~1b/0/c: expected a number that a 64-bit floating-point value can hold, found ${number}. Send the number as a string`;
          await expectError(response, "InvalidField", { field: "/a~1b/0/c", message });
        }
      },
    );

    test("may have numbers that return unchanged, and fractions that are rounded", async () => {
      for (const response of await sendAll('"a":[9007199254740991,9007199254740992,1e22,3.141592653589793238]')) {
        expect(response.status).toBeLessThan(300);
      }
    });
  });

  test("200 levels of nesting are accepted", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(198)}1${"}".repeat(198)}`);
    const { resource } = await write(mock, newProject(), "POST", { objectTypeProperty: {}, deep });
    expect(resource).toMatchObject({ deep });
  });
});

describe("large JSON bodies", () => {
  const mock = useMock("over a socket");
  const post = (body: string, path = "", project = newProject()) =>
    mock.resource(project, path, { method: "POST", body, headers: { "Content-Type": "application/json" } });

  test.each([
    ["200000 JSON values", `[${"1,".repeat(200_000)}1]`],
    ["10000 members in an object", `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`).join()}}`],
  ])("a large body with more than %s gets 400", async (limit, body) => {
    for (const path of ["", "/namespace-action"]) {
      const message = `The body: expected at most ${limit}, found more`;
      await expectError(await post(body, path), "InvalidInput", { message });
    }
  });

  test("a body above 4 MiB gets 413, and with the highest value of maxBodyBytes a body above 8 MiB", async () => {
    const project = newProject();
    const body = (size: number) => `{"objectTypeProperty":{},"text":"`.padEnd(size - 2, "x").concat('"}');
    const MiB = 1024 * 1024;
    expect((await post(body(4 * MiB), "", project)).status).toBe(201);
    await expectError(await post(body(4 * MiB + 1), "", project), "ContentTooLarge");
    await configure(mock, project, { maxBodyBytes: 8 * MiB });
    expect((await post(body(8 * MiB), "", project)).status).toBe(201);
    await expectError(await post(body(8 * MiB + 1), "", project), "ContentTooLarge");
  });
});
