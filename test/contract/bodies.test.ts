import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Schema } from "../../src/contract/json-schema.ts";
import { kindOf, typeOf } from "../../src/contract/wire/media-kinds.ts";
import { acceptable, bestFor } from "../../src/contract/wire/media-types.ts";
import { type Encoding, readFormBody, readMultipart } from "../../src/contract/wire/read-body.ts";
import { runs } from "../setup/runs.ts";

describe("the declared media type of a sent body", () => {
  const json = "application/json";
  const vendor = "application/vnd.x+json";
  test.each<[string[], string | undefined, string | undefined]>([
    [[json], 'Application/JSON;Charset="UTF-8"', json],
    [["application/json; charset=utf-8"], json, "application/json; charset=utf-8"],
    [[json, "application/json;version=1"], "application/json; version=1", "application/json;version=1"],
    [["application/json;version=1", json], "application/json; version=2", json],
    [["application/json;version=1"], "application/json; version=2", undefined],
    [["application/json;version=1"], json, "application/json;version=1"],
    [["*/*", "image/*", "image/png"], "image/png", "image/png"],
    [["*/*", "image/*"], "image/gif", "image/*"],
    [["*/*", "application/*", "application/*+json"], vendor, "application/*+json"],
    [["*/*"], "a/b", "*/*"],
    [[json], vendor, json],
    [[vendor], json, vendor],
    [[json, vendor], vendor, vendor],
    [[json], "text/plain", undefined],
    [[json], "json", undefined],
    [[json], undefined, undefined],
  ])("is the best of the media types %j for a body of the type %s", (declared, sent, expected) => {
    expect(bestFor(declared, sent)).toBe(expected);
  });

  test("has a kind", () => {
    const read = { json: "application/problem+json", form: "application/x-www-form-urlencoded", text: "image/svg+xml" };
    for (const [kind, type] of Object.entries({ ...read, multipart: "multipart/form-data; boundary=x" })) {
      expect(kindOf(type)).toBe(kind);
    }
    expect(["multipart/mixed", "image/png", "*/*"].map(kindOf)).toEqual(["bytes", "bytes", "bytes"]);
    expect(typeOf(" Text/CSV ; header=present")).toBe("text/csv");
  });
});

const both = ["text/csv", "application/json"];

test.each<[string, string[], (string | undefined)[]]>([
  ["application/json", both, ["", "nonsense", "text/csv, */*", "application/*, text/csv;q=0.5", "text/csv;q=0, */*"]],
  ["application/json", both, ["application/vnd.github.v3+json", "application/vnd.x+json;q=0, */*", undefined]],
  ["application/json", both, ["application/json; charset=utf-8", "application/json;version=2"]],
  ["text/csv", both, ["TEXT/CSV", "application/json;q=0.499, text/csv;q=0.5", "application/json;q=0, */*", "text/*"]],
  ["text/csv", ["text/csv"], ['text/csv;a="b,c";q=0.2, text/csv;q=x']],
  ["none", both, ["image/png", "application/json;q=0"]],
  ["none", [], ["*/*"]],
  ["application/hal+json", ["application/hal+json"], ["application/json"]],
  ["application/json;v=2", ["application/json;v=1", "application/json;v=2"], ["application/json;v=2"]],
  ["text/xml", ["application/json", "text/xml"], ["text/html,text/xml;q=0.9,*/*;q=0.8"]],
  ["*/*", ["*/*"], ["text/plain"]],
])("the media type of a response is %s of %j for %j", (expected, available, headers) => {
  for (const accept of headers) expect(acceptable(available, accept) ?? "none").toBe(expected);
});

test("any header is read", () => {
  const header = fc.oneof(fc.string(), fc.stringMatching(/^[a-z/*;=q0-9.", \\+]*$/));
  const read = (accept: string) => [...both, undefined].includes(acceptable(both, accept) ?? bestFor(both, accept));
  fc.assert(fc.property(header, read), runs(300));
});

const string: Schema = { type: "string" };
const integer: Schema = { type: "integer" };
const object = (properties: Record<string, Schema>, ...required: string[]): Schema => {
  return { type: "object", properties, required };
};
const list = (items: Schema, maxItems = 3): Schema => ({ type: "array", items, maxItems });

const profile = object(
  {
    age: integer,
    nick: list(string),
    ids: list(integer),
    toys: list(object({ name: string, price: { type: "number" } })),
    home: object({ city: string, "a.b": { type: "boolean" } }),
  },
  "age",
);

describe("a form", () => {
  test.each<[string, unknown, Record<string, Encoding>?]>([
    ["age=7&nick=su%20n&nick=s%2Bky", { age: 7, nick: ["su n", "s+ky"] }],
    ["age=7&nick[]=sun&nick[]=sky", { age: 7, nick: ["sun", "sky"] }],
    ["age=7&nick[0]=sun&nick[1]=sky", { age: 7, nick: ["sun", "sky"] }],
    ["age=7&toys[0][price]=1.5&toys[1][name]=7", { age: 7, toys: [{ price: 1.5 }, { name: "7" }] }],
    ["age=7&home[city]=Rome&home[a.b]=true", { age: 7, home: { city: "Rome", "a.b": true } }],
    ["age=7&home.city=Rome", { age: 7, "home.city": "Rome" }],
    ['age=7&home={"city":"Rome"}', { age: 7, home: { city: "Rome" } }],
    ['age=7&nick=["sun"]', { age: 7, nick: ["sun"] }, { nick: { contentType: "application/json" } }],
    ["age=7&nick=sun,s%2Cky", { age: 7, nick: ["sun", "s,ky"] }, { nick: { style: "form", explode: false } }],
    ["age=7&ids=1%7C2", { age: 7, ids: [1, 2] }, { ids: { style: "pipeDelimited" } }],
    ["age=7&ids=1%2C2", { age: 7, ids: [1, 2] }, { ids: { explode: false } }],
    ["age=7&extra=1&extra=2", { age: 7, extra: ["1", "2"] }],
    ["age=seven", ['/age: expected integer, found "seven"']],
    ["", ["/age: is required, found nothing"]],
    ["age=1&age=2", ["/age: expected integer, found an array of 2"]],
    ["age=9007199254740993", { age: "9007199254740993" }],
    ["age=1&nick=a&nick=b&nick=c&nick=d", ["/nick: expected at most 3 items, found 4"]],
  ])("is read with its types, or is refused with the location: %s", async (text, expected, encoding) => {
    const reading = await readFormBody(text, profile, encoding);
    expect(Array.isArray(expected) ? lines(reading) : "value" in reading && reading.value).toEqual(expected);
  });

  test("has at most 10,000 fields", async () => {
    expect(await readFormBody("a&".repeat(10_001), profile)).toEqual({
      problem: "expected at most 10000 fields, found more",
    });
  });
});

function lines(reading: Awaited<ReturnType<typeof readFormBody>>): unknown {
  return "problem" in reading ? reading : reading.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
}

type SentPart = [name: string, content: string, filename?: string, type?: string];

/** Writes parts by RFC 7578: name, content, and the file name and type if there are any. */
function multipart(...parts: SentPart[]) {
  const written = parts.map(([name, content, filename, type]) => {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const header = type === undefined ? "" : `\r\nContent-Type: ${type}`;
    return `--CUT\r\nContent-Disposition: form-data; name="${name}"${file}${header}\r\n\r\n${content}\r\n`;
  });
  return new TextEncoder().encode(`${written.join("")}--CUT--\r\n`);
}

const file: Schema = { type: "string", format: "binary" };
const meta = object({ title: string, pages: integer }, "title");
const upload = object({ meta, file, more: list(file, 2), count: integer }, "meta", "file");

describe("a multipart body", () => {
  const type = 'Multipart/Form-Data; boundary="CUT"';
  const image: SentPart = ["file", "\u0001PNG\r\n--not-the-cut", "a.png", "image/png"];
  const json = (pages: unknown): SentPart => {
    return ["meta", JSON.stringify({ title: "one", pages }), undefined, "application/json"];
  };

  test("has JSON parts, texts and files", async () => {
    expect(await readMultipart(multipart(image, json(3), ["count", "7"]), type, upload)).toEqual({
      value: { file: "a.png", meta: { title: "one", pages: 3 }, count: 7 },
      problems: [],
    });
  });

  test.each<[string, Uint8Array<ArrayBuffer>, unknown]>([
    ["an invalid JSON part", multipart(image, json("many")), ['/meta/pages: expected integer, found "many"']],
    ["a broken JSON part", multipart(image, ["meta", "{"]), ['/meta: expected object, found "{"']],
    ["a JSON part with a file name", multipart(image, ["meta", '{"title":"a"}', "blob", "application/json"]), []],
    ["a member in brackets", multipart(image, ["meta[title]", "a"], ["meta[pages]", "3"]), []],
    ["a missing file", multipart(json(3)), ["/file: is required, found nothing"]],
    ["files of one member", multipart(image, json(3), ["more", "a", "a.txt"], ["more[]", "b", "b.txt"]), []],
    [
      "many files",
      multipart(image, json(3), ...Array(3).fill(["more", "a", "a.txt"])),
      [expect.stringContaining("most 2")],
    ],
  ])("%s", async (_what, bytes, expected) => {
    expect(lines(await readMultipart(bytes, type, upload))).toEqual(expected);
  });

  test.each(["multipart/form-data; boundary=X", "multipart/form-data"])("is unreadable by %s", async (contentType) => {
    expect(await readMultipart(multipart(image), contentType, upload)).toEqual({
      problem: "expected parts with the boundary of Content-Type (RFC 7578), found another body",
    });
  });
});
