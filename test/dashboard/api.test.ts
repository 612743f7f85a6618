import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { dashboardOf, shows } from "./dashboards.ts";

/** The status of each operation's example. */
const examples: Readonly<Record<string, number>> = {
  queryResources: 200,
  checkResourceExists: 200,
  createResource: 201,
  overwriteResource: 201,
  createOrOverwriteResource: 201,
  getResourceById: 200,
  updateResource: 200,
  deleteResource: 200,
  getResourceByKey: 200,
  searchResources: 200,
  runComplexOperation: 200,
  queryWithSortedParameters: 200,
  uploadImage: 200,
  writeNamespaceAction: 200,
  readNamespaceAction: 200,
  getCart: 200,
};

describeWithBrowser("the API view of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("sends the example of each operation, which succeeds, and shows the decisions behind the response", async () => {
    const page = await browser.open(dashboardOf(mock, newProject(), "api"));
    const links = page.getByRole("navigation", { name: "Operations" }).getByRole("listitem");
    await links.first().waitFor();
    expect(await links.count()).toBe(Object.keys(examples).length);
    for (const [operation, status] of Object.entries(examples)) {
      const project = newProject();
      await page.goto(dashboardOf(mock, project, `api/${operation}`));
      await page.getByText(`Operation ${operation}.`).waitFor();
      if (operation === "uploadImage") {
        const buffer = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]);
        await page
          .getByLabel("File", { exact: true })
          .setInputFiles({ name: "front.jpg", mimeType: "image/jpeg", buffer });
      }
      await page.getByRole("button", { name: "Send" }).click();
      const heading = page.getByRole("heading", { name: /^Response: / });
      expect([operation, await heading.textContent()]).toEqual([operation, expect.stringContaining(`${status}`)]);
      await page.getByRole("region", { name: "Decisions" }).getByText("auth passed").waitFor();
      expect(mock.engine.projects.get(project).journal.length).toBe(1);
    }
  });

  test("fills the form with a stored resource and its version", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "api/updateResource"));
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
    await page
      .getByRole("region", { name: /^Request / })
      .first()
      .waitFor();
  });

  test("selects another response by Prefer, and a token of one scope", async () => {
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

    const prefer = page.getByRole("combobox", { name: /Prefer/ });
    await prefer.fill("scenario=bad-gateway");
    await send.click();
    await shows(page, /Response: 502/);
    const choices = await page
      .locator("datalist option")
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    expect(choices).toEqual(expect.arrayContaining(["code=404", "scenario=bad-gateway", "dynamic=true, seed=1"]));
  });

  test("a form stays while the user visits other views, and each project has its own", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await browser.open(dashboardOf(mock, project, "api/getResourceById"));
    const field = page.getByRole("textbox", { name: "id path" });
    await field.fill("kept-id");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.getByRole("link", { name: "Get a resource by id" }).click();
    expect(await field.inputValue()).toBe("kept-id");
    await page.goto(dashboardOf(mock, other, "api/getResourceById"));
    await expect.poll(() => field.inputValue()).not.toBe("kept-id");
  });

  test("shows the assumptions of the mock, and finds operations", async () => {
    const page = await browser.open(dashboardOf(mock, newProject(), "api/queryWithSortedParameters"));
    await page.getByRole("heading", { name: "Assumptions" }).waitFor();
    await shows(page, /with at most 10 different keys/);
    await page.getByRole("searchbox", { name: "Search operations" }).fill("image post");
    await expect
      .poll(() => page.getByRole("navigation", { name: "Operations" }).getByRole("listitem").allTextContents())
      .toEqual([expect.stringContaining("Upload an image")]);
  });
});
