// @module-tag browser
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { dashboardOf, shows } from "./dashboards.ts";

describeWithBrowser("the API view of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("sends a stored resource with its version, and shows the decisions behind the response", async () => {
    const page = await browser.open(dashboardOf(mock, newProject(), "api"));
    await page.getByRole("searchbox", { name: "Search operations" }).fill("update");
    await page.getByRole("link", { name: /Update a resource/ }).click();
    await page.getByRole("button", { name: "Use a stored resource" }).click();
    await page.getByRole("combobox", { name: "Stored resource" }).selectOption({ index: 1 });
    const send = page.getByRole("button", { name: "Send" });
    await send.click();
    await shows(page, /Response: 200/);
    await send.click();
    await shows(page, /Response: 409/);
    await page
      .getByRole("region", { name: "Decisions" })
      .getByText(/ConcurrentModification/)
      .waitFor();
    await page.getByRole("link", { name: "Open this request" }).click();
    await shows(page, /409: the client sent version 1; version 2 was written \d+ ms earlier by request/);
  });

  test("issues a token, and selects another response by Prefer", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    const page = await browser.open(dashboardOf(mock, project, "api/getResourceById"));
    const send = page.getByRole("button", { name: "Send" });
    await send.click();
    await shows(page, /Response: 401/);
    await page.getByRole("button", { name: "Issue a token" }).click();
    await expect.poll(() => page.getByLabel(/Bearer token/).inputValue()).not.toBe("");
    await send.click();
    await shows(page, /Response: 200/);
    await page.getByRole("combobox", { name: /Prefer/ }).fill("scenario=bad-gateway");
    await send.click();
    await shows(page, /Response: 502/);
  });

  test("keeps a form while the user visits other views, separately for each project", async () => {
    const page = await browser.open(dashboardOf(mock, newProject(), "api/getResourceById"));
    const field = page.getByRole("textbox", { name: "id path" });
    await field.fill("kept-id");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.getByRole("link", { name: "Get a resource by id" }).click();
    expect(await field.inputValue()).toBe("kept-id");
    await page.goto(dashboardOf(mock, newProject(), "api/getResourceById"));
    await expect.poll(() => field.inputValue()).not.toBe("kept-id");
  });

  test("shows the assumptions of the mock", async () => {
    const page = await browser.open(dashboardOf(mock, newProject(), "api/queryWithSortedParameters"));
    await page.getByRole("heading", { name: "Assumptions" }).waitFor();
    await shows(page, /with at most 4 different keys/);
  });
});
