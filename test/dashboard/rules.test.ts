// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AddedRule } from "../../src/control/client/types.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows } from "./dashboards.ts";

describeWithBrowser("the rules on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const add = async (project: string, rule: object) => {
    const { status, body } = await inProject<AddedRule>(mock, project, "POST", "/rules", rule);
    expect(status).toBe(201);
    return body.id;
  };
  const rulesOf = async (project: string) =>
    (await inProject<{ rules: AddedRule[] }>(mock, project, "GET", "/rules")).body.rules;
  const statusOf = async (project: string) => (await mock.resource(project, "/my-id")).status;
  const open = async (project: string, rest = "") => {
    const page = await browser.open(dashboardOf(mock, project, `mocks${rest}`));
    await isLive(page);
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const source = (page: Page) => page.getByRole("textbox", { name: "JSON", exact: true });
  const rule = async (page: Page) => JSON.parse(await source(page).inputValue()) as unknown;
  const select = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const toast = (page: Page, text: string) => page.getByLabel("Messages").getByText(text).waitFor();
  const undo = (page: Page) => page.getByLabel("Messages").getByRole("button", { name: "Undo" }).last();
  const choose = async (page: Page, name: string, text: string) => {
    await page.getByRole("button", { name }).click();
    await page.getByRole("combobox", { name, exact: true }).fill(text);
    await page.keyboard.press("Enter");
  };
  const addCondition = (page: Page, name: string) => choose(page, "Add a condition", name);

  test("the list says in words what the rules do, and how often they were used", async () => {
    const project = newProject();
    await add(project, { operation: "getResourceById", times: 2, respond: { status: 503 } });
    await add(project, { operation: "getCart", when: { query: { a: { matches: "^b" } } }, raw: { status: 502 } });
    const page = await open(project);
    await statusOf(project);
    const rows = page.getByRole("region", { name: "Rules" }).getByRole("listitem");
    await rows.nth(1).getByText("1 of 2 used").waitFor();
    expect(await rows.locator("p").allTextContents()).toEqual([
      "getCart returns an off-contract 502 not used yet",
      "r-2 · if query parameter a matches ^b",
      "getResourceById returns 503 1 of 2 used",
      "r-1 · 2 times",
    ]);
    await statusOf(project);
    await rows.nth(1).getByText("used up, 2 of 2").waitFor();
  });

  test("a sentence makes the next requests fail: by default, those of the operation that was used last", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.fetch(`/${project}/nothing`);
    const page = await open(project);
    await field(page, "Number of requests").fill("1");
    await field(page, "Delay in seconds").fill("0.001");
    await button(page, "Add rule").click();
    await toast(page, "Rule r-1 is added");
    expect((await rulesOf(project)).map((each) => each.rule)).toEqual([
      { operation: "getResourceById", times: 1, respond: { status: 503 }, latency: { fixed: 1 } },
    ]);
    expect([await statusOf(project), await statusOf(project)]).toEqual([503, 200]);
    await choose(page, "Operation", "every operation");
    // The contract does not have this status.
    await select(page, "Response").selectOption({ label: "502 Bad gateway" });
    await button(page, "Add rule").click();
    await toast(page, "Rule r-2 is added");
    expect(await statusOf(project)).toBe(502);
  });

  test("“More…” opens the form with what the sentence says", async () => {
    const project = newProject();
    const page = await open(project);
    await choose(page, "Operation", "updateResource");
    await select(page, "Response").selectOption("EMPTY_RESPONSE");
    await button(page, "More…").click();
    await shows(page, "New rule");
    expect(await rule(page)).toEqual({ operation: "updateResource", times: 2, fault: "EMPTY_RESPONSE" });
  });

  test("a rule is removed with undo", async () => {
    const project = newProject();
    await add(project, { operation: "getResourceById", respond: { status: 503 } });
    const page = await open(project);
    await button(page, "Remove r-1").click();
    await toast(page, "Rule r-1 is removed");
    await shows(page, "No rules.");
    expect(await rulesOf(project)).toEqual([]);
    await undo(page).click();
    await toast(page, "Undone");
    expect(await statusOf(project)).toBe(503);
  });

  test("the form creates a rule from the contract, and says which requests it matches", async () => {
    const project = newProject();
    const send = (version: number, actions: object[] = [{ action: "doSomeThing" }]) =>
      mock.resource(project, "/my-id", json("POST", { version, actions }));
    await mock.resource(project, "/my-id");
    await send(1, []);
    const page = await open(project, "?rule=new");
    await shows(page, "Matches 1 of the last 2 requests.");
    await choose(page, "Operation", "getCart");
    await choose(page, "Operation", "updateResource");
    await addCondition(page, "parameter id");
    await field(page, "Value of Path parameter id").fill("my-id");
    await addCondition(page, "/actions/*/action");
    await field(page, "Value of Body member /actions/*/action").fill("doSomeThing");
    await shows(page, "Matches 0 of the last 2 requests.");
    await select(page, "Response").selectOption("409");
    await field(page, "Delay in seconds").fill("0.001");
    expect(await rule(page)).toEqual({
      operation: "updateResource",
      times: 2,
      respond: { status: 409 },
      when: { path: { id: "my-id" }, body: { actions: { contains: { action: "doSomeThing" } } } },
      latency: { fixed: 1 },
    });
    await button(page, "Add rule").click();
    await toast(page, "Rule r-1 is added");
    await page.getByRole("link", { name: "Edit r-1" }).and(page.locator(":focus")).waitFor();
    expect([(await send(2)).status, (await send(1, [])).status]).toEqual([409, 200]);
    await shows(page, "1 of 2 used");
  });

  test("a condition can be for a part that the contract does not name", async () => {
    const page = await open(newProject(), "?rule=new");
    const find = async () => {
      await page.getByRole("button", { name: "Add a condition" }).click();
      await page.getByRole("combobox", { name: "Add a condition", exact: true }).fill("x-trace");
    };
    await find();
    await page.getByRole("option", { name: "Header x-trace" }).click();
    await field(page, "Value of Header x-trace").fill("a");
    expect(await rule(page)).toMatchObject({ when: { headers: { "x-trace": "a" } } });
    await find();
    // The rule has this condition.
    expect(await page.getByRole("dialog").getByRole("option").allTextContents()).toEqual([
      "Path parameter x-trace",
      "Query parameter x-trace",
      "Cookie x-trace",
      "Body member /x-trace",
    ]);
  });

  test("form and JSON follow each other; the JSON is checked as the user types", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    await source(page).fill(
      '{ "operation": "getCart", "when": { "query": { "a": "1" } }, "raw": { "status": 502, "body": "x" } }',
    );
    await page.getByRole("button", { name: "Operation: GET" }).getByText("/namespace").waitFor();
    expect(await select(page, "Response").inputValue()).toBe("502");
    await field(page, "Value of Query parameter a").fill("2");
    await select(page, "Comparison of Query parameter a").selectOption("matches");
    expect(await rule(page)).toEqual({
      operation: "getCart",
      when: { query: { a: { matches: "2" } } },
      raw: { status: 502, body: "x" },
    });
    await button(page, "Remove the condition Query parameter a").click();
    expect(await rule(page)).toEqual({ operation: "getCart", raw: { status: 502, body: "x" } });
    await page.getByRole("button", { name: "Add a condition" }).and(page.locator(":focus")).waitFor();

    await source(page).fill('{ "operation": ');
    await page.getByRole("alert").getByText("Invalid JSON").waitFor();
    expect(await select(page, "Response").isDisabled()).toBe(true);
    await source(page).fill('{ "operation": "getCart", "later": 1, "respond": { "status": 503 } }');
    await page.getByRole("alert").getByText("/later: unknown member").waitFor();
    await button(page, "Line 1").waitFor();
    await button(page, "Add rule").click();
    await expect.poll(() => page.getByRole("alert").count()).toBe(2);
    expect(await rulesOf(project)).toEqual([]);
    for (const odd of ['{ "latency": 5, "respond": 1, "sequence": 2, "when": 3 }', '{ "raw": "a", "fault": {} }']) {
      await source(page).fill(odd);
      await page
        .getByRole("alert")
        .first()
        .getByText(/expected/)
        .first()
        .waitFor();
    }
    await source(page).fill('{ "sequence": [{ "fault": "EMPTY_RESPONSE" }, {}], "latency": { "uniform": [1, 2] } }');
    await expect.poll(() => field(page, "Delay in seconds").getAttribute("placeholder")).toBe("random");
    await select(page, "Response").getByText("what the JSON says").waitFor({ state: "attached" });
  });

  test("a number that JavaScript would change keeps a rule from being added", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    const refused = "expected a number that a 64-bit floating-point value can hold, found 9007199254740993";
    const when = '{"body": {"version": 9007199254740993}}';
    await source(page).fill(`{"operation": "updateResource", "when": ${when}, "respond": {"status": 503}}`);
    await shows(page, `/when/body/version: ${refused}`);
    await button(page, "Add rule").and(page.locator("[aria-disabled=true]")).waitFor();
    expect(await rulesOf(project)).toEqual([]);
  });

  test("a draft stays while another view is open, until it is cancelled", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    await select(page, "Body").selectOption("own body");
    expect(await source(page).inputValue()).toContain('"statusCode": 503');
    await page
      .getByRole("navigation", { name: `Views of ${project}` })
      .getByRole("link", { name: "Data" })
      .click();
    await page.goBack();
    expect(await source(page).inputValue()).toContain('"statusCode": 503');
    await button(page, "Cancel").click();
    await page.goto(dashboardOf(mock, project, "mocks?rule=new"));
    await expect.poll(() => source(page).inputValue()).not.toContain('"statusCode": 503');
  });

  test("a rule is edited, which replaces it", async () => {
    const project = newProject();
    const id = await add(project, { operation: "getResourceById", respond: { status: 503 } });
    const page = await open(project);
    await page.getByRole("link", { name: `Edit ${id}` }).click();
    // The list of rules has a field of the same name.
    await button(page, "Replace rule").waitFor();
    await select(page, "Response").selectOption("500");
    await button(page, "Replace rule").click();
    await toast(page, "Rule r-2 replaces r-1");
    expect((await rulesOf(project)).map((each) => each.rule.respond)).toEqual([{ status: 500 }]);
  });

  test("a link to a rule focuses it, and says so if the rule or the request of a new rule is gone", async () => {
    const project = newProject();
    const id = await add(project, { operation: "getCart", respond: { status: 503 } });
    const page = await open(project, `/${id}`);
    await page
      .getByRole("link", { name: `Edit ${id}` })
      .and(page.locator(":focus"))
      .waitFor();
    await button(page, `Remove ${id}`).click();
    await shows(page, `The project has no rule ${id} now.`);
    await page.goto(dashboardOf(mock, project, "mocks?request=gone-1"));
    await shows(page, "The journal no longer has the request gone-1.");
    const unknown = await mock.fetch(`/${project}/nothing`);
    await page.goto(dashboardOf(mock, project, `mocks?request=${unknown.headers.get("mock-request-id")}`));
    await shows(page, "A rule cannot repeat this response: no operation matches the request.");
  });

  test("“Make a rule” of a request leads to a rule that matches the request and returns its response", async () => {
    const project = newProject();
    const body = { version: 9, actions: [] };
    const conflict = await mock.resource(project, "/my-id?expand=a", json("POST", body));
    const page = await open(project, `?request=${conflict.headers.get("mock-request-id")}`);
    await shows(page, "Matches 1 of the last 1 request.");
    expect(await field(page, "Value of Path parameter id").inputValue()).toBe("my-id");
    expect(await field(page, "Value of Body member /version").inputValue()).toBe("9");
    expect(await source(page).inputValue()).toContain("ConcurrentModification");
    await button(page, "Remove the condition Query parameter expand").click();
    await field(page, "Value of Body member /version").fill("1");
    await button(page, "Add rule").click();
    await toast(page, "Rule r-1 is added");
    const send = (version: number) => mock.resource(project, "/my-id", json("POST", { ...body, version }));
    expect([(await send(1)).status, (await send(1)).status]).toEqual([409, 200]);
  });
});
