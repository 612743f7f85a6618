import { join } from "node:path";
import { expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { documentOf, send } from "../setup/documents.ts";
import { newProject, onTransports } from "../setup/mock.ts";

const FORM = "application/x-www-form-urlencoded";

const contract = join(import.meta.dirname, "documents/bodies.yaml");
const water = { kind: "water", flow: 1 };
const light = { kind: "light", watts: 1 };
const recipe = { title: "Soup", key: "k" };
const soup = JSON.stringify(recipe);
const form = "names=a&names=b&age=7";
const bytes = new Uint8Array([0, 255]);

onTransports("bodies of a document", { contract }, (mock) => {
  const post = (path: string, type: string, body?: unknown) =>
    send(mock, `POST ${path}`, type === "" ? {} : { "Content-Type": type }, body);

  test.each<[path: string, type: string, accepted: unknown[], ...refused: unknown[]]>([
    ["/fittings", "", [water, light, { ...light, flow: 2 }], { ...light, watts: "x" }, /^\/watts: expected integer/],
    ["/fittings", "", [], { ...water, kind: "light" }, /^\/watts: is required/, { flow: 1 }, /kind/],
    ["/fittings", "", [], { ...water, kind: "gas" }, /^\/kind: expected .*"light".*"water".*, found "gas"/],
    ["/named", "", [{ ...water, kind: "Tap" }, null], { ...water, kind: "tap" }, /^\/kind: /],
    [
      "/persons",
      "",
      [
        { role: "guest", seat: 1 },
        { role: "cook", seat: "a" },
      ],
      { role: "waiter", seat: 1 },
      /^\/seat/,
    ],
    ["/persons", "", [], { role: "Guest" }, /^\/role: expected one of "guest", "cook", "waiter"/],
    [
      "/seats",
      "",
      [
        { role: "guest", seat: 1 },
        { role: "guest", seat: "a", legs: 4 },
      ],
      { role: "guest", seat: "a" },
      /seat/,
    ],
    ["/animals", "", [{ kind: "Animal" }, { kind: "Dog", tricks: 2 }], { kind: "Dog", tricks: "x" }, /^\/tricks/],
    ["/closed", "", [{ heat: 1 }], { b: 1 }, /^\/b: unknown member/],
    ["/heaters", "", [{ kind: "oven", heat: 200 }, { kind: "Stove" }], { kind: "Stove", heat: 201 }, /^\/heat/],
    ["/ovens", "", [{ kind: "oven", heat: 200 }], { kind: "oven", heat: 301 }, /^\/heat/, { heat: 1 }, /^\/kind: /],
    ["/recipes", "", [recipe, { ...recipe, id: 7, parts: [{ ...recipe, parts: [] }] }], undefined, /body is required/i],
    ["/recipes", "", [], { ...recipe, parts: [{ title: "" }] }, /^\/parts\/0/, { ...recipe, more: 1 }, /^\/more/],
    ["/recipes", "application/json", [soup], "", /body is required/i, '{"title":', /JSON/, "{}", /^\/title: is re/],
    ["/recipes", 'Application/JSON;Charset="UTF-8"', [soup], '{"title":5,"key":""}', /^\/title: expected string/],
    ["/recipes", "application/vnd.other+json", [soup]],
    ["/notes", "", [undefined, recipe], {}, /is required/],
    ["/notes", "application/json", [""]],
    ["/vendor", "application/vnd.kitchen.v2+json", [JSON.stringify(light)]],
    ["/vendor", "application/json", [JSON.stringify(light)], '{"kind":"a","watts":"x"}', /^\/watts: /],
    ["/documents", "application/xml", ["<recipe/>"], "", /body is required/i],
    ["/documents", "application/yaml", ["b: 1"]],
    ["/documents", "application/atom+xml", ["<feed/>"]],
    ["/documents", "text/plain", ["5"]],
    ["/documents", "text/csv", ["a,b"], "a", /expected one of "a,b"/],
    ["/patches", "application/json-patch+json", ["[]"], "{}", /expected array/],
    ["/patches", "application/json", ["{}"]],
    ["/versions", "application/json;v=2", [JSON.stringify(light)], JSON.stringify(water), /^\/watts: is required/],
    ["/any", "application/json", ["{}"], "{", /JSON/],
    ["/any", "application/pdf", [bytes, ""]],
    ["/ranges", "text/csv; charset=utf-8", ["a,b"], "a,b,c", /3/],
    ["/ranges", "image/png", [bytes]],
    ["/forms", FORM, ["names=a%20b&names=a%2Bb&age=7&x=y"], "age=7", /^\/names: is/, "names=a&age=7", /^\/names: /],
    ["/forms", FORM, [`${form}&tags=a,b&size=%7B%22w%22:1%7D&deep[w]=3`], `${form}&tags=a,b,c`, /^\/tags: /],
    ["/forms", FORM, [form], `${form}&tags=a,x`, /^\/tags\/1: /, "names=a&names=b&age=x", /^\/age: expected integer/],
    ["/forms", FORM, [], `${form}&size={"w":"x"}`, /^\/size\/w: /, `${form}&deep[w]=x`, /^\/deep\/w: /],
  ])("validates a body of %s with the media type %j", async (path, type, accepted, ...refused) => {
    for (const body of accepted) expect([body, (await post(path, type, body)).reason]).toEqual([body, null]);
    for (let each = 0; each < refused.length; each += 2) {
      const { status, reason } = await post(path, type, refused[each]);
      expect(status).toBe(path === "/fittings" ? 422 : 400);
      expect(reason).toMatch(refused[each + 1] as RegExp);
    }
  });

  test("another media type is 415, whatever the body", async () => {
    const text = ["text/plain", "nonsense", "application/json-patch+json", FORM].map((type) => ["/recipes", type]);
    for (const [path = "", type = ""] of [...text, ["/versions", "application/json; v=3"], ["/ranges", "image/gif"]])
      expect([type, (await post(path, type, soup)).status]).toEqual([type, 415]);
    const encoded = await send(mock, "POST /recipes", { "Content-Encoding": "compress" }, recipe);
    expect([encoded.status, encoded.reason]).toEqual([415, expect.stringContaining("Content-Encoding")]);
  });

  const about = '{"title":"one","pages":3}';
  const photo = new File([new Uint8Array([1, 13, 10, 45, 45])], "a.png", { type: "image/png" });
  const asJson = (value: string) => new Blob([value], { type: "application/json" });
  test.each<[fields: Record<string, string | Blob | File[]>, expected: number | RegExp]>([
    [{ about: asJson(about), photo }, 201],
    [{ photo, about, copies: [photo, photo], count: "2" }, 201],
    [{ about: asJson('{"title":"one","pages":"x"}'), photo }, /^\/about\/pages: expected integer/],
    [{ about: asJson(about) }, /^\/photo: is required/],
    [{ about, photo, count: "two" }, /^\/count: expected integer/],
    [{ about: asJson("{"), photo }, /^\/about: /],
  ])("a multipart body with %j", async (fields, expected) => {
    const data = new FormData();
    const pairs = Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((each) => [name, each] as const),
    );
    for (const [name, value] of pairs) data.append(name, value as string);
    const request = new Request("http://in.process", { method: "POST", body: data });
    const type = { "Content-Type": request.headers.get("Content-Type") ?? "" };
    const { status, reason } = await send(mock, "POST /files", type, await request.bytes());
    expect(expected === 201 ? status : reason).toEqual(
      expected === 201 ? 201 : expect.stringMatching(expected as RegExp),
    );
  });

  test("a multipart body without its boundary is 400", async () => {
    const { status, reason } = await post("/files", "multipart/form-data; boundary=x", "y");
    expect([status, reason]).toEqual([400, expect.stringContaining("boundary")]);
  });

  test("a GET without a body can have a Content-Type, and where a body is documented it is read", async () => {
    expect((await send(mock, "DELETE /notes", { "Content-Type": "text/plain" })).status).toBe(201);
    expect((await send(mock, "GET /p/notes", { "Content-Type": "application/json" })).status).toBe(201);
    expect((await send(mock, "DELETE /notes", {}, { title: 7, key: "" })).reason).toMatch(/^\/title/);
    expect((await send(mock, "DELETE /q/notes", {}, recipe)).status).toBe(201);
  });

  test("a body above the limit is 413, whatever its media type", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { maxBodyBytes: 100, maxImageBytes: 100 });
    for (const type of ["application/json", FORM, "text/plain", "application/pdf"]) {
      const { status } = await send(mock, `POST /${project}/any`, { "Content-Type": type }, `"${"x".repeat(99)}"`);
      expect([type, status]).toEqual([type, 413]);
    }
  });

  test("only the service sends readOnly members, and only the client writeOnly ones", async () => {
    const { body, isOffContract } = await send(mock, "POST /recipes", {}, recipe);
    expect(body).toMatchObject({ id: expect.any(Number), title: expect.any(String) });
    expect([JSON.stringify(body).includes('"key"'), isOffContract]).toEqual([false, false]);
  });
});

const members = { name: { type: "string" }, owner: { nullable: true }, friend: { nullable: true, $ref: "#/x-friend" } };
const pet = { type: "object", required: ["name"], properties: members };
const requestBody = { required: true, content: { "application/json": { schema: pet } } };
const petShop = documentOf(
  { "/pet": { post: { requestBody, responses: { 405: { description: "Invalid input" } } } } },
  { openapi: "3.0.3", servers: [{ url: "https://example.com/api/v3" }], "x-friend": { type: "integer" } },
);

onTransports("a document of a pet shop that only declares 405", { contract: petShop }, (mock) => {
  test.each<[path: string, body: unknown, status: number, reason: RegExp]>([
    ["/pet", { name: "Rex" }, 204, /^$/],
    ["/api/v3/pet", { name: "Rex", owner: null, friend: null }, 204, /^$/],
    ["/my-test/api/v3/pet", { name: "Rex", owner: { any: 1 }, friend: 5 }, 204, /^$/],
    ["/pet", { name: 5, owner: null }, 400, /^\/name: expected string/],
    ["/pet", { name: "Rex", friend: "x" }, 400, /^\/friend: expected integer/],
    ["/pet", "{", 400, /not JSON/],
    ["/pet", "Rex", 400, /not JSON/],
    ["/pet", undefined, 400, /body is required/],
  ])("POST %s with %j", async (path, body, status, reason) => {
    const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const found = await send(mock, `POST ${path}`, headers, body);
    expect([found.status, found.reason ?? ""]).toEqual([status, expect.stringMatching(reason)]);
  });
});
