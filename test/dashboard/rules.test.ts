// @module-tag browser
import type { Locator, Page } from "playwright-core";
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
  const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
  const number = (page: Page, name: string) => page.getByRole("spinbutton", { name, exact: true });
  const toast = (page: Page, text: string) => page.getByLabel("Messages").getByText(text).waitFor();
  const addCondition = async (page: Page, kind: string, name?: string) => {
    await select(page, "Part of the request").selectOption({ label: kind });
    if (name !== undefined) await page.getByLabel("Name of the part").fill(name);
    await button(page, "Add condition").click();
  };
  /** Returns the text that describes a field, such as its error. */
  const described = (control: Locator) =>
    control.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent);

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
      "r-1 for every request",
    ]);
    await statusOf(project);
    await rows.nth(1).getByText("used up, 2 of 2").waitFor();
  });

  test("a rule is removed with undo, and all rules after a question", async () => {
    const project = newProject();
    const id = await add(project, { operation: "getResourceById", respond: { status: 503 } });
    await add(project, { operation: "getCart", respond: { status: 503 } });
    const page = await open(project);
    await button(page, `Remove ${id}`).click();
    await toast(page, `Rule ${id} is removed`);
    expect(await statusOf(project)).toBe(200);
    await page.getByLabel("Messages").getByRole("button", { name: "Undo" }).last().click();
    await toast(page, "Undone");
    expect(await statusOf(project)).toBe(503);

    await button(page, "Remove all").click();
    await button(page, "Remove all rules").click();
    await shows(page, "No rules.");
    expect(await rulesOf(project)).toEqual([]);
  });

  test("the form creates a rule from the contract, which takes effect", async () => {
    const project = newProject();
    const page = await open(project);
    await page.getByRole("link", { name: "New rule" }).click();
    await select(page, "Operation").selectOption("updateResource");
    await addCondition(page, "Path parameter");
    await field(page, "Value of Path parameter id").fill("my-id");
    await addCondition(page, "Body member", "/version");
    await field(page, "Value of Body member /version").fill("1");
    await addCondition(page, "Header", "X-Run");
    await select(page, "Comparison of Header X-Run").selectOption("matches");
    await field(page, "Value of Header X-Run").fill("^ci-");
    await select(page, "Status").selectOption("409");
    await select(page, "Body").selectOption("Own body");
    expect(await field(page, "Response body (JSON)").inputValue()).toContain('"statusCode": 409');
    await field(page, "Name of a new header").fill("Retry-After");
    await button(page, "Add header").click();
    await field(page, "Value of the header Retry-After").fill("7");
    await select(page, "Delay").selectOption({ label: "Fixed" });
    await number(page, "Milliseconds").fill("1");
    await number(page, "Number of requests").fill("2");
    expect(await rule(page)).toMatchObject({
      operation: "updateResource",
      times: 2,
      respond: { status: 409, body: { statusCode: 409 }, headers: { "Retry-After": "7" } },
      when: { path: { id: "my-id" }, body: { version: 1 }, headers: { "X-Run": { matches: "^ci-" } } },
      latency: { fixed: 1 },
    });
    await button(page, "Add rule").click();
    await toast(page, "Rule r-1 is added");
    await page.getByRole("link", { name: "Edit r-1" }).and(page.locator(":focus")).waitFor();

    const send = (headers: Record<string, string>) =>
      mock.resource(project, "/my-id", json("POST", { version: 1, actions: [] }, headers));
    const stubbed = await send({ "X-Run": "ci-4" });
    expect([stubbed.status, stubbed.headers.get("retry-after")]).toEqual([409, "7"]);
    expect((await send({ "X-Run": "local" })).status).toBe(200);
    await shows(page, "1 of 2 times used");
  });

  test("form and JSON follow each other, and the form keeps and names what it cannot show", async () => {
    const page = await open(newProject(), "?rule=new");
    await source(page).fill(
      '{ "operation": "getCart", "when": { "query": { "a": "1" }, "cookies": 1 }, "raw": { "status": 502, "body": "x" }, "later": {} }',
    );
    await shows(page, "Only in the JSON, kept as it is: /when/cookies, /later");
    expect(await select(page, "Operation").inputValue()).toBe("getCart");
    expect(await number(page, "Status").inputValue()).toBe("502");
    await field(page, "Value of Query parameter a").fill("2");
    expect(await rule(page)).toEqual({
      operation: "getCart",
      when: { query: { a: "2" }, cookies: 1 },
      raw: { status: 502, body: "x" },
      later: {},
    });
    await source(page).fill('{ "operation": ');
    await page.getByRole("alert").getByText("Invalid JSON in line 1").waitFor();
    expect(await select(page, "Operation").isDisabled()).toBe(true);
    await source(page).fill('{ "operation": "getResourceByKey", "fault": "EMPTY_RESPONSE" }');
    expect(await select(page, "The server").inputValue()).toBe("EMPTY_RESPONSE");
  });

  test("errors of the control API are at their fields, and go when the field changes", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    await source(page).fill(
      JSON.stringify({
        operation: "updateResource",
        when: { body: { a: { matches: "(" } } },
        respond: { status: 418, headers: { "Content-Length": "1" } },
      }),
    );
    await button(page, "Add rule").click();
    await expect
      .poll(() => described(field(page, "Value of Body member /a")))
      .toMatch(/^expected a regular expression/);
    expect(await described(select(page, "Status"))).toContain("found 418");
    expect(await described(field(page, "Value of the header Content-Length"))).toContain("expected another header");
    await select(page, "Status").selectOption("503");
    expect(await described(select(page, "Status"))).toBeUndefined();

    // An error without a field of its own is beside the button, with its pointer.
    await source(page).fill('{ "operation": "getCart", "later": 1, "respond": { "status": 503 } }');
    await button(page, "Add rule").click();
    await page.getByRole("alert").getByText("/later: unknown member").waitFor();
    expect(await rulesOf(project)).toEqual([]);
  });

  test("a draft and an invalid body stay while another view is open, until the draft is discarded", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    await select(page, "Body").selectOption("Own body");
    const body = field(page, "Response body (JSON)");
    await body.fill('{ "statusCode": ');
    await number(page, "Skip first").fill("4");
    await button(page, "Add rule").click();
    await page.getByRole("alert").getByText("Invalid JSON").waitFor();
    expect([await body.inputValue(), await rulesOf(project)]).toEqual(['{ "statusCode": ', []]);
    await page
      .getByRole("navigation", { name: `Views of ${project}` })
      .getByRole("link", { name: "State" })
      .click();
    await page.goBack();
    expect(await number(page, "Skip first").inputValue()).toBe("4");
    await button(page, "Discard draft").click();
    expect(await number(page, "Skip first").inputValue()).toBe("");
  });

  test("a rule is edited, which replaces it, and duplicated", async () => {
    const project = newProject();
    const id = await add(project, { operation: "getResourceById", respond: { status: 503 } });
    const page = await open(project);
    await page.getByRole("link", { name: `Edit ${id}` }).click();
    await select(page, "Status").selectOption("500");
    await button(page, "Replace rule").click();
    await toast(page, "Rule r-2 replaces r-1");
    expect((await rulesOf(project)).map(({ rule }) => rule.respond)).toEqual([{ status: 500 }]);

    await page.getByRole("link", { name: "Duplicate r-2" }).click();
    await select(page, "Status").selectOption("429");
    await button(page, "Add rule").click();
    await toast(page, "Rule r-3 is added");
    expect((await rulesOf(project)).map(({ rule }) => rule.respond?.status)).toEqual([429, 500]);
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
    expect(await page.getByRole("alert").count()).toBe(0);
    const unknown = await mock.fetch(`/${project}/nothing`);
    await page.goto(dashboardOf(mock, project, `scenarios?request=${unknown.headers.get("mock-request-id")}`));
    await shows(page, "A rule cannot repeat this response: no operation matches the request.");
  });

  test("a sequence has a step for each request; leaving it keeps the first step, after a question", async () => {
    const project = newProject();
    const page = await open(project, "?rule=new");
    const check = page.getByRole("checkbox", { name: /^A sequence/ });
    await check.check();
    await button(page, "1. returns 503").waitFor();
    await button(page, "2. responds normally").click();
    await select(page, "Response").selectOption("raw");
    await number(page, "Status").fill("599");
    await select(page, "Body").selectOption("text");
    await field(page, "Response body").fill("<h1>Out</h1>");
    await number(page, "Number of requests").fill("");
    await button(page, "Add rule").click();
    await shows(page, "getResourceById returns 503, then returns an off-contract 599");
    expect([await statusOf(project), await statusOf(project), await statusOf(project)]).toEqual([503, 599, 200]);

    await page.getByRole("link", { name: "Edit r-1" }).click();
    await check.click();
    await button(page, "Cancel").click();
    expect(await check.isChecked()).toBe(true);
    await check.click();
    await button(page, "Keep the first step").click();
    await expect.poll(() => rule(page)).toEqual({ operation: "getResourceById", respond: { status: 503 } });
  });

  test("“Make a rule” of a request leads to a rule that matches the request and returns its response", async () => {
    const project = newProject();
    const body = { version: 9, actions: [] };
    const conflict = await mock.resource(project, "/my-id?expand=a", json("POST", body));
    const id = conflict.headers.get("mock-request-id");
    const page = await browser.open(dashboardOf(mock, project, `requests/${id}`));
    await isLive(page);
    await button(page, "Make a rule").click();
    expect(await field(page, "Value of Path parameter id").inputValue()).toBe("my-id");
    expect(await field(page, "Value of Body member /version").inputValue()).toBe("9");
    expect(await field(page, "Response body (JSON)").inputValue()).toContain("ConcurrentModification");
    await button(page, "Remove the condition Query parameter expand").click();
    await field(page, "Value of Body member /version").fill("1");
    await button(page, "Add rule").click();
    await toast(page, "Rule r-1 is added");
    const send = (version: number) => mock.resource(project, "/my-id", json("POST", { ...body, version }));
    expect([(await send(1)).status, (await send(1)).status]).toEqual([409, 200]);
  });
});
