// @module-tag browser
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { json } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { shows } from "./dashboards.ts";

const Post = {
  type: "object",
  required: ["title"],
  properties: { id: { type: "integer", readOnly: true }, title: { type: "string" } },
};
const content = (schema: object) => ({ content: { "application/json": { schema } } });
const parameter = (name: string, type: string) => ({ name, in: "path", required: true, schema: { type } });

/** A document whose posts belong to a user, without the names of the built-in service. */
const document = {
  openapi: "3.1.0",
  info: { title: "Blog", version: "1" },
  paths: {
    "/status": {
      get: { operationId: "status", responses: { 200: { description: "OK", ...content({ type: "object" }) } } },
    },
    "/users/{user}/posts": {
      parameters: [parameter("user", "string")],
      get: {
        operationId: "listPosts",
        responses: { 200: { description: "OK", ...content({ type: "array", items: Post }) } },
      },
      post: {
        operationId: "createPost",
        requestBody: { required: true, ...content(Post) },
        responses: { 201: { description: "Created", ...content(Post) }, 422: { description: "Invalid" } },
      },
    },
    "/users/{user}/posts/{number}": {
      parameters: [parameter("user", "string"), parameter("number", "integer")],
      get: {
        operationId: "readPost",
        responses: { 200: { description: "OK", ...content(Post) }, 404: { description: "Not found" } },
      },
    },
  },
};

describeWithBrowser("requests to a mock of a document", () => {
  const browser = useBrowser();
  let mock: StartedResourceMock;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "document-requests-"));
    const file = join(folder, "openapi.json");
    await writeFile(file, JSON.stringify(document));
    mock = await startResourceMock({ contract: file });
  });
  afterAll(async () => {
    await mock.close();
    await rm(folder, { recursive: true });
  });
  const urlOf = (rest: string) => `${mock.url}/__admin/ui#/projects/${rest}`;

  test("the page of a request links to its item", async () => {
    const response = await mock.fetch("/links/users/ann/posts", json("POST", { title: "Hi" }));
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as { id: number };
    const page = await browser.open(urlOf(`links/requests/${response.headers.get("Mock-Request-Id")}?tab=changes`));
    const href = `#/projects/links/data/${id}?type=${encodeURIComponent("/users/ann/posts")}`;
    await expect
      .poll(() =>
        page
          .getByRole("link", { name: String(id), exact: true })
          .first()
          .getAttribute("href"),
      )
      .toBe(href);
    await expect.poll(() => page.locator(".reason a").getAttribute("href")).toBe(href);

    const read = await mock.fetch(`/links/users/ann/posts/${id}`);
    await page.goto(urlOf(`links/requests/${read.headers.get("Mock-Request-Id")}`));
    const link = page.getByRole("link", { name: `${id} and its history` });
    await expect.poll(() => link.getAttribute("href")).toBe(href);
    const reason = page.getByRole("link", { name: `the stored item ${id}` });
    await expect.poll(() => reason.first().getAttribute("href")).toBe(href);

    const list = await mock.fetch("/links/users/ann/posts");
    await page.goto(urlOf(`links/requests/${list.headers.get("Mock-Request-Id")}`));
    const collection = page.getByRole("link", { name: "the stored items" });
    await expect
      .poll(() => collection.getAttribute("href"))
      .toBe(`#/projects/links/data?type=${encodeURIComponent("/users/ann/posts")}`);
  });

  test("the page of a request shows the place of a violation, and offers a rule for the operation", async () => {
    const response = await mock.fetch("/invalid/users/ann/posts", json("POST", {}));
    const id = response.headers.get("Mock-Request-Id");
    const page = await browser.open(urlOf(`invalid/requests/${id}`));
    const details = page.getByRole("region", { name: `Request ${id}` });
    await details
      .getByRole("listitem")
      .getByText(/^\/title: /)
      .first()
      .waitFor();
    await details.getByRole("button", { name: "Commands for this request" }).click();
    expect(await details.getByRole("menuitem", { name: "Make a rule" }).getAttribute("href")).toBe(
      `#/projects/invalid/mocks?request=${id}`,
    );
  });

  test("an empty project offers a first request that needs no parameters", async () => {
    const page = await browser.open(urlOf("fresh/requests"));
    await page.getByText(`curl ${mock.url}/fresh/status`).waitFor();
    await page.getByRole("button", { name: "Send a first request" }).click();
    await page.getByRole("region", { name: /^Request / }).waitFor();
  });

  test("requests without a project key have their whole path in the list, in their title and under Failures", async () => {
    for (const path of ["/users/eve/posts", "/default/users/eve/posts"])
      await mock.fetch(path, json("POST", { title: path }));
    const response = await mock.fetch("/users/eve/posts", json("POST", {}));
    const id = response.headers.get("Mock-Request-Id");
    const page = await browser.open(urlOf("default/requests"));
    const rows = page.getByRole("list", { name: /requests/i }).getByRole("link");
    await expect.poll(() => rows.count()).toBe(3);
    const paths = await page.locator(".row-request bdi").allTextContents();
    expect(paths.map((path) => path.trim())).toEqual(Array(3).fill("/users/eve/posts"));
    await page.goto(urlOf(`default/requests/${id}`));
    await page.getByRole("heading", { name: /POST \/users\/eve\/posts/ }).waitFor();
    await page.goto(urlOf("default/failures"));
    await shows(page, "/users/eve/posts");
  });

  test("a failed verification shows the method and the path of the expected operation", async () => {
    await mock.fetch("/verified/users/ann/posts");
    await mock.project("verified").verify({ match: { operation: "createPost" } });
    const page = await browser.open(urlOf("verified/failures"));
    const row = page.getByRole("list", { name: "Failed verifications" }).getByRole("link");
    await shows(page, "Expected at least 1 request to match, found 0 among 1 request.");
    expect(await row.textContent()).toContain("POST/users/{user}/posts");
    await row.click();
    await page.getByRole("region", { name: /^Request / }).waitFor();
  });
});
