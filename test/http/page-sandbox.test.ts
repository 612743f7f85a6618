// @module-tag tools
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { addRule } from "../setup/activation.ts";
import { inProject } from "../setup/control.ts";
import { newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";

const html = "<!doctype html><title>page</title><p>Hello</p>";

onAllTransports("a response of the service", {}, (mock) => {
  const policyOf = async (headers: Record<string, string>, body = html) => {
    const project = newProject();
    await addRule(mock, project, { raw: { status: 200, headers, body } });
    const response = await mock.resource(project, "/a");
    expect(await response.text()).toBe(body);
    return response.headers.get("Content-Security-Policy");
  };

  test.each([
    ["text/html"],
    ["Text/HTML; charset=utf-8"],
    ["application/xhtml+xml"],
    ["image/svg+xml"],
    ["text/xml"],
    ["application/xml"],
    ["application/atom+xml"],
    ["image/foo+xml"],
    ["Image/Foo+XML; charset=utf-8"],
    ["multipart/x-mixed-replace"],
    ["application/json, text/html"],
    ["unknown"],
  ])("a response of the type %s has a policy without scripts", async (type) => {
    expect(await policyOf({ "content-type": type })).toBe("sandbox");
  });

  test("a response with its own policy has both policies", async () => {
    const headers = { "Content-Type": "text/html", "content-security-policy": "default-src 'self'" };
    expect(await policyOf(headers)).toBe("default-src 'self', sandbox");
  });

  test.each(["application/json", "application/problem+json; charset=utf-8", "text/plain", "image/png"])(
    "of the type %s has no policy",
    async (type) => expect(await policyOf({ "Content-Type": type })).toBeNull(),
  );

  test("a response of an operation has no policy", async () => {
    expect((await mock.resource(newProject(), "/a")).headers.get("Content-Security-Policy")).toBeNull();
  });
});

describeWithBrowser("a page from a rule", () => {
  const adminToken = "t0ken";
  const mock = useMock("over a socket", { adminToken });
  const authorization = { Authorization: `Bearer ${adminToken}` };
  // Not `useBrowser`, which fails if a browser blocks a script.
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: inject("browser"), args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());

  const script = `
    document.title = "token: " + Object.values(sessionStorage);
    fetch("/__admin/reset", { method: "POST", headers: { Authorization: "Bearer " + Object.values(sessionStorage)[0] } });`;

  test.each([
    ["text/html", `<!doctype html><title>none</title><script>${script}</script>`],
    [
      "application/xhtml+xml",
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>none</title></head><body><script>${script}</script></body></html>`,
    ],
    ["image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><title>none</title><script>${script}</script></svg>`],
    ["", `<!doctype html><title>none</title><script>${script}</script>`],
  ])("a page of the type %j cannot read the admin token or call the control API", async (type, body) => {
    const project = newProject();
    const headers = type === "" ? undefined : { "Content-Type": type };
    const rule = { operation: "getResourceById", raw: { status: 200, headers, body } };
    const { status } = await inProject(mock, project, "POST", "/rules", rule, authorization);
    expect(status).toBe(201);
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${mock.url}/__admin/ui`);
    await page.evaluate((token) => sessionStorage.setItem("resource-mock-admin-token", token), adminToken);
    const calls: string[] = [];
    page.on("request", (request) => calls.push(new URL(request.url()).pathname));
    await page.goto(`${mock.url}/${project}/resource/a`, { waitUntil: "load" });
    expect(await page.title()).not.toContain("token");
    expect(calls.filter((path) => path.startsWith("/__admin"))).toEqual([]);
    expect((await inProject(mock, project, "GET", "/rules", undefined, authorization)).body).toMatchObject({
      rules: [{ id: "r-1" }],
    });
    await page.context().close();
  });
});
