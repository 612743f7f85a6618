import { describe, expect, test } from "vitest";
import { preferenceText, readPrefer } from "../../src/rules/prefer.ts";
import { activate, addRule, lastDecisions, reset } from "../setup/activation.ts";
import { inProject } from "../setup/control.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { draft, update } from "../setup/resources.ts";

describe("the Prefer header", () => {
  test.each([
    ["", {}],
    ["code=404", { code: "404" }],
    ["code=404,example=empty;seed=1", { code: "404", example: "empty", seed: "1" }],
    ["dynamic=true; seed=7", { dynamic: "true", seed: "7" }],
    ['dynamic=""', { dynamic: "" }],
    ['example="a \\"b\\", c; d"', { example: 'a "b", c; d' }],
    ["CODE = 404", { code: "404" }],
    ["\tcode=404\t,\tseed=1", { code: "404", seed: "1" }],
    ["code=404, code=500", { code: "404" }],
    ['respond-async, wait=100, return=minimal; code="500"', { code: "500" }],
    ['odata.include-annotations="*,-a", code=500', { code: "500" }],
    ['example="no end, code=404', { code: "404" }],
    ["constructor=1, __proto__=2, code=404", { code: "404" }],
  ])("the header Prefer: %j contains the preferences %j", (value, preferences) => {
    expect(readPrefer(value)).toEqual(preferences);
  });

  test("is parsed in linear time", () => {
    for (const piece of [" ", "a", "a ", ",", '"', 'a="', "code=", "\\"]) readPrefer(piece.repeat(200_000));
  });

  test.each([
    ["code", "404", "code=404"],
    ["example", "a b", 'example="a b"'],
    ["seed", 'q"\\', 'seed="q\\"\\\\"'],
    ["seed", "", 'seed=""'],
  ] as const)("Preference-Applied names %s with the value %j as %s", (name, value, text) => {
    expect(preferenceText(name, value)).toBe(text);
  });
});

onAllTransports("Prefer", { wait: async () => {} }, (mock) => {
  const prefer = (value: string, init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { ...init.headers, Prefer: value },
  });

  test("code selects the status", async () => {
    const response = await mock.resource(newProject(), "/some-id", prefer("code=409", update(1)));
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ statusCode: 409 })]);
    expect(response.headers.get("Preference-Applied")).toBe("code=409");
    expect(response.headers.get("Mock-Source")).toBe("fixture:updateResource/409.json");
  });

  test("code=409 returns the version of the request", async () => {
    const response = await mock.resource(newProject(), "/some-id", prefer("code=409", update(41)));
    expect(await response.json()).toMatchObject({
      message: "Version mismatch: expected 41, actual 42.",
      errors: [{ currentVersion: 42 }],
    });
  });

  const stubs = ["code=201", "code=201, dynamic=true, seed=1", "scenario=stubbed"];
  test.each(stubs)("a request with Prefer: %j leaves the ids of resources unchanged", async (value) => {
    const [project, created] = [newProject(), json("POST", draft)];
    const idOf = (response: Response) => response.headers.get("Location")?.split("/").at(-1);
    const expected = [idOf(await mock.resource(project, "", created)), idOf(await mock.resource(project, "", created))];
    await reset(mock, project);
    const first = idOf(await mock.resource(project, "", created));
    if (value.startsWith("scenario")) {
      await activate(mock, project, "stubbed", { times: 2, rules: [{ respond: { status: 201 } }] });
    }
    const before = await inProject(mock, project, "GET", "/state");
    const stubbed = [];
    for (let request = 0; request < 2; request++) {
      const init = value.startsWith("code") ? prefer(value, created) : created;
      const answer = await mock.resource(project, "", init);
      expect(answer.headers.get("Mock-Source")).not.toBe("state");
      stubbed.push(idOf(answer));
    }
    expect((await inProject(mock, project, "GET", "/state")).body).toEqual(before.body);
    expect([first, idOf(await mock.resource(project, "", created))]).toEqual(expected);
    expect(new Set([...stubbed, ...expected]).size).toBe(4);
  });

  test.each(everyOperation)(
    "the operation %s returns 400 with the declared statuses for another status",
    async (id, request) => {
      const response = await mock.resource(newProject(), request.path, prefer("code=418", request.init));
      if (id === "checkResourceExists") return expectBodiless(response, 400);
      const [error] = await expectError(response, "InvalidField", { field: "Prefer" });
      expect(error?.message).toMatch(/^Prefer: code: expected a status of \w+ \(20[01], .*507\), found 418$/);
      expect(response.headers.get("Preference-Applied")).toBeNull();
    },
  );

  test("example selects the variant, whatever its status", async () => {
    const path = "/namespace-action-with-example";
    const response = await mock.resource(newProject(), path, prefer("example=gift"));
    expect(response.headers.get("Mock-Source")).toBe("fixture:getCart/200.gift.json");
    expect(response.headers.get("Preference-Applied")).toBe("example=gift");
  });

  test("returns 400 with the known examples for an unknown example", async () => {
    const response = await mock.resource(newProject(), "/namespace-action-with-example", prefer("example=gitf"));
    const [error] = await expectError(response, "InvalidField", { field: "Prefer" });
    expect(error?.message).toMatch(
      /^Prefer: example: expected one of .*gift.* for getCart, found "gitf". Did you mean "gift"\?$/,
    );
  });

  test("returns 400 if the status has no such example", async () => {
    const path = "/namespace-action-with-example";
    const both = await mock.resource(newProject(), path, prefer("code=200, example=empty"));
    expect(both.headers.get("Preference-Applied")).toBe("code=200, example=empty");
    const response = await mock.resource(newProject(), path, prefer("code=404, example=empty"));
    const [error] = await expectError(response, "InvalidField");
    expect(error?.message).toContain('example: expected none for getCart 404, found "empty"');
  });

  test("scenario applies to this request only", async () => {
    const project = newProject();
    const response = await mock.resource(project, "", prefer("scenario=server-error"));
    expect([response.status, response.headers.get("Mock-Source")]).toEqual([500, "scenario:server-error"]);
    expect(response.headers.get("Preference-Applied")).toBe("scenario=server-error");
    expect((await mock.resource(project)).status).toBe(200);
    expect((await mock.resource(project, "", prefer("scenario=unavailable-then-ok"))).status).toBe(503);
    expect((await inProject(mock, project, "GET", "/scenarios")).body).toMatchObject({ total: 0 });
  });

  test("a scenario without effect on the request is not in Preference-Applied", async () => {
    const response = await mock.resource(newProject(), "", prefer("scenario=conflict"));
    expect([response.status, response.headers.get("Preference-Applied")]).toEqual([200, null]);
  });

  test("returns 400 with the nearest name for an unknown scenario", async () => {
    const response = await mock.resource(newProject(), "", prefer("scenario=confict"));
    const [error] = await expectError(response, "InvalidField", { field: "Prefer" });
    expect(error?.message).toBe('Prefer: scenario "confict" not found. Did you mean "conflict"?');
  });

  test("Preference-Applied lists exactly the applied preferences", async () => {
    const project = newProject();
    const value = "respond-async, code=201, dynamic=true, seed=7, scenario=dribble, return=minimal";
    const response = await mock.resource(project, "", prefer(value, json("POST", draft)));
    expect(response.status).toBe(201);
    const applied = "code=201, dynamic=true, seed=7, scenario=dribble";
    expect(response.headers.get("Preference-Applied")).toBe(applied);
    expect(await lastDecisions(mock, project)).toContain(`Prefer applied: ${applied}`);
    await response.text();
  });

  test("combines several header lines", async () => {
    const headers = new Headers([
      ["Prefer", "code=404"],
      ["Prefer", "scenario=slow"],
    ]);
    const response = await mock.resource(newProject(), "/x", { headers });
    expect(response.headers.get("Preference-Applied")).toBe("code=404, scenario=slow");
  });

  test("an invalid request returns 400 without Preference-Applied", async () => {
    const response = await mock.resource(newProject(), "?floatParameter=x", prefer("code=500"));
    expect([response.status, response.headers.get("Preference-Applied")]).toEqual([400, null]);
  });

  test("a rule is not used up by a request with a preferred response", async () => {
    const project = newProject();
    await addRule(mock, project, { times: 1, respond: { status: 500 } });
    expect((await mock.resource(project, "", prefer("code=503"))).status).toBe(503);
    expect(await lastDecisions(mock, project)).toContain("rule r-1 skipped: another effect has higher precedence");
    expect((await mock.resource(project)).status).toBe(500);
  });
});

onAllTransports("Prefer: dynamic", {}, (mock) => {
  const prefer = (value: string, init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { ...init.headers, Prefer: value },
  });
  const cart = "/namespace-action-with-example";

  test.each(everyOperation)("the operation %s returns a generated response", async (_id, { path, init, status }) => {
    const response = await mock.resource(newProject(), path, prefer("dynamic=true, seed=7", init));
    expect([response.status, response.headers.get("Mock-Source")]).toEqual([status, "generated"]);
    expect(response.headers.get("Preference-Applied")).toBe("dynamic=true, seed=7");
    if (init.method === "HEAD") await expectBodiless(response, 200);
    if (status === 201) expect(response.headers.get("Location")).toBeTruthy();
  });

  test("equal seeds return equal responses in any project, other seeds do not", async () => {
    const text = async (value: string) => (await mock.resource(newProject(), cart, prefer(value))).text();
    const first = await text("dynamic=true, seed=7");
    expect(await text("dynamic; seed=7")).toBe(first);
    expect(await text("dynamic=true, seed=8")).not.toBe(first);
    expect(await text('dynamic=true, seed="any text"')).toBe(await text('seed="any text", dynamic=true'));
  });

  test("without a seed, the project selects one, and the journal says how to repeat the response", async () => {
    const project = newProject();
    const first = await (await mock.resource(project, cart, prefer("dynamic=true"))).text();
    const [, again = ""] =
      /send Prefer: (.*) to repeat it$/.exec((await lastDecisions(mock, project)).at(-1) ?? "") ?? [];
    expect(await (await mock.resource(newProject(), cart, prefer(again))).text()).toBe(first);
    expect(await (await mock.resource(project, cart, prefer("dynamic=true"))).text()).not.toBe(first);
    await reset(mock, project);
    expect(await (await mock.resource(project, cart, prefer("dynamic=true"))).text()).toBe(first);
  });

  test("generates errors too", async () => {
    const response = await mock.resource(newProject(), "/x", prefer("dynamic=true, code=404, seed=1"));
    expect(await response.json()).toMatchObject({
      statusCode: 404,
      errors: [{ code: expect.stringMatching(/NotFound$/) }],
    });
  });

  test("false has no effect, and other values return 400", async () => {
    const none = await mock.resource(newProject(), cart, prefer("dynamic=false, seed=3"));
    expect([none.status, none.headers.get("Preference-Applied")]).toEqual([200, null]);
    await expectError(await mock.resource(newProject(), cart, prefer("dynamic=maybe")), "InvalidField");
  });
});
