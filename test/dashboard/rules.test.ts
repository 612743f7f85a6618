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
    const page = await browser.open(dashboardOf(mock, project, `scenarios${rest}`));
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
  const sentence = (page: Page, text: string) => page.locator(".sentence").getByText(text, { exact: true }).waitFor();
  const addCondition = async (page: Page, kind: string, name?: string) => {
    await select(page, "Part of the request").selectOption({ label: kind });
    if (name !== undefined) await page.getByLabel("Name of the part").fill(name);
    await button(page, "Add condition").click();
  };

  test("the list says in words what the rules do, and how often they were used", async () => {
    const project = newProject();
    await add(project, { operation: "getResourceById", times: 2, respond: { status: 503 } });
    await add(project, { operation: "getCart", when: { query: { a: { matches: "^b" } } }, raw: { status: 502 } });
    const page = await open(project);
    await statusOf(project);
    const rows = page.getByRole("region", { name: "Rules" }).getByRole("listitem");
    await rows.nth(1).getByText("1 of 2 times used").waitFor();
    expect(await rows.locator("p").allTextContents()).toEqual([
      "getCart returns an off-contract 502 not used yet",
      "r-2 if query a matches ^b",
      "getResourceById returns 503 1 of 2 times used",
      "r-1 2 times",
    ]);
    await statusOf(project);
    await rows.nth(1).getByText("used up, 2 of 2").waitFor();
  });

  test("one rule or all are removed with undo, and a button makes the next reads fail", async () => {
    const project = newProject();
    const page = await open(project);
    await button(page, "Fail the next 2 reads").click();
    await toast(page, "The next 2 reads by id get 503");
    expect([await statusOf(project), await statusOf(project), await statusOf(project)]).toEqual([503, 503, 200]);
    await add(project, { operation: "getCart", respond: { status: 503 } });
    await button(page, "Remove r-1").click();
    await toast(page, "Rule r-1 is removed");
    await undo(page).click();
    await toast(page, "Undone");
    expect(await statusOf(project)).toBe(503);
    const before = (await rulesOf(project)).map((each) => each.rule);
    await button(page, "Remove all").click();
    await shows(page, "No rules.");
    expect(await rulesOf(project)).toEqual([]);
    await undo(page).click();
    await expect.poll(async () => (await rulesOf(project)).map((each) => each.rule)).toEqual(before);
  });

  test("the form creates a rule from the contract, as a sentence, and says which requests it matches", async () => {
    const project = newProject();
    const send = (version: number, actions: object[] = [{ action: "doSomeThing" }]) =>
      mock.resource(project, "/my-id", json("POST", { version, actions }));
    await mock.resource(project, "/my-id");
    await send(1, []);
    const page = await open(project);
    await page.getByRole("link", { name: "New rule" }).click();
    await sentence(page, "getResourceById returns 503 once.");
    await shows(page, "Matches 1 of the last 2 requests.");
    await select(page, "Operation").selectOption("updateResource");
    await addCondition(page, "Path parameter");
    await field(page, "Value of Path parameter id").fill("my-id");
    await select(page, "Part of the request").selectOption({ label: "Body member" });
    // The contract knows the members of the body.
    expect(await page.locator('datalist option[value="/actions/*/action"]').count()).toBe(1);
    await addCondition(page, "Body member", "/actions/*/action");
    await field(page, "Value of Body member /actions/*/action").fill("doSomeThing");
    await shows(page, "Matches 0 of the last 2 requests.");
    await page.getByText("Nearest miss:").getByText("/body/actions", { exact: true }).waitFor();
    await select(page, "Response").selectOption("409");
    await field(page, "Delay (ms)").fill("1");
    await field(page, "Times").fill("2");
    await sentence(
      page,
      "updateResource returns 409 and waits 1 ms if id is my-id and body /actions/*/action is doSomeThing, 2 times.",
    );
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
    await shows(page, "1 of 2 times used");
  });

  test("form and JSON follow each other; the JSON is checked as the user types", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    await source(page).fill(
      '{ "operation": "getCart", "when": { "query": { "a": "1" } }, "raw": { "status": 502, "body": "x" } }',
    );
    expect(await select(page, "Operation").inputValue()).toBe("getCart");
    expect(await field(page, "Status").inputValue()).toBe("502");
    await field(page, "Value of Query parameter a").fill("2");
    await select(page, "Comparison of Query parameter a").selectOption("matches");
    expect(await rule(page)).toEqual({
      operation: "getCart",
      when: { query: { a: { matches: "2" } } },
      raw: { status: 502, body: "x" },
    });
    await button(page, "Remove the condition Query parameter a").click();
    expect(await rule(page)).toEqual({ operation: "getCart", raw: { status: 502, body: "x" } });
    await select(page, "Part of the request").and(page.locator(":focus")).waitFor();

    await source(page).fill('{ "operation": ');
    await page.getByRole("alert").getByText("Invalid JSON").waitFor();
    expect(await select(page, "Operation").isDisabled()).toBe(true);
    await source(page).fill('{ "operation": "getCart", "later": 1, "respond": { "status": 503 } }');
    await page.getByRole("alert").getByText("/later: unknown member").waitFor();
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
    await shows(page, "2 responses, one for each request.");
  });

  test("a number that JavaScript would change keeps a rule from being added, in the JSON and in a field", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    const refused = "expected a number that a 64-bit floating-point value can hold, found 9007199254740993";
    const when = '{"body": {"version": 9007199254740993}}';
    await source(page).fill(`{"operation": "updateResource", "when": ${when}, "respond": {"status": 503}}`);
    await shows(page, `/when/body/version: ${refused}`);
    await button(page, "Add rule").and(page.locator("[aria-disabled=true]")).waitFor();
    await source(page).fill('{"operation": "updateResource", "respond": {"status": 503}}');
    await field(page, "Times").fill("9007199254740993");
    await page.getByRole("alert").getByText(refused).waitFor();
    await button(page, "Add rule").click();
    await page.getByRole("alert").getByText("/times: ").first().waitFor();
    expect(await rulesOf(project)).toEqual([]);
  });

  test("a draft stays while another view is open, until it is discarded", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    await select(page, "Body").selectOption("own body");
    expect(await source(page).inputValue()).toContain('"statusCode": 503');
    await field(page, "Skip first").fill("4");
    await page
      .getByRole("navigation", { name: `Views of ${project}` })
      .getByRole("link", { name: "State" })
      .click();
    await page.goBack();
    expect(await field(page, "Skip first").inputValue()).toBe("4");
    await button(page, "Discard draft").click();
    expect(await field(page, "Skip first").inputValue()).toBe("");
  });

  test("a rule is edited, which replaces it", async () => {
    const project = newProject();
    const id = await add(project, { operation: "getResourceById", respond: { status: 503 } });
    const page = await open(project);
    await page.getByRole("link", { name: `Edit ${id}` }).click();
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
    await page.goto(dashboardOf(mock, project, "scenarios?request=gone-1"));
    await shows(page, "The journal no longer has the request gone-1.");
    await page.goto(dashboardOf(mock, project, "scenarios?resource=gone-2"));
    await shows(page, "The project has no resource gone-2.");
    expect(await page.getByRole("alert").count()).toBe(0);
    const unknown = await mock.fetch(`/${project}/nothing`);
    await page.goto(dashboardOf(mock, project, `scenarios?request=${unknown.headers.get("mock-request-id")}`));
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

  test("“Make a rule” of a resource leads to a rule that always returns it as it is", async () => {
    const project = newProject();
    const before = await (await mock.resource(project, "/my-id")).json();
    const page = await open(project, "?resource=my-id");
    await button(page, "Add rule").click();
    await toast(page, "Rule r-1 is added");
    await mock.resource(project, "/my-id", json("POST", { version: 1, actions: [{ action: "doSomeThing" }] }));
    expect(await (await mock.resource(project, "/my-id")).json()).toEqual(before);
  });
});
