import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { onTransports, useMock } from "../setup/mock.ts";

const fromBrowser = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, redirect: "manual" } as const;

onTransports("the pages", {}, (mock) => {
  test("the dashboard is one document with a policy that allows only its own script and calls to this server", async () => {
    const response = await mock.fetch("/__admin/ui");
    const html = await response.text();
    const hash = (tag: string) => {
      const text = html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.indexOf(`</${tag}>`));
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    };

    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(html).toMatch(/^<!doctype html>/);
    expect(response.headers.get("Content-Security-Policy")?.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hash("script")}`,
      `style-src ${hash("style")}`,
      "connect-src 'self'",
      "img-src blob: data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  test.each(["ui", "contract.json", "openapi.json"])(
    "GET /__admin/%s is compressed, and a client with a current copy gets 304",
    async (name) => {
      const page = await mock.fetch(`/__admin/${name}`, { headers: { "Accept-Encoding": "identity" } });
      const compressed = await mock.fetch(`/__admin/${name}`, { headers: { "Accept-Encoding": "gzip" } });
      expect(compressed.headers.get("Content-Encoding")).toBe("gzip");
      const bytes = Buffer.from(await compressed.arrayBuffer());
      // `fetch` over a socket has decompressed the body already.
      const html = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
      expect(html.toString()).toBe(await page.text());
      const tag = page.headers.get("ETag") ?? "";
      const same = await mock.fetch(`/__admin/${name}`, { headers: { "If-None-Match": tag } });
      expect([same.status, await same.text(), same.headers.get("ETag")]).toEqual([304, "", tag]);
    },
  );

  test("the address of the API reference redirects to its view in the dashboard", async () => {
    const response = await mock.fetch("/__admin/docs", fromBrowser);
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/__admin/ui#/all/api"]);
  });

  test("the dashboard is the redirect target for a browser that opens /", async () => {
    const response = await mock.fetch("/", fromBrowser);
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/__admin/ui"]);
    expect(response.headers.get("Vary")).toBe("Accept");
  });

  test("the dashboard is not returned to other clients that open /", async () => {
    const response = await mock.fetch("/", { redirect: "manual" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errors: [{ code: "EndpointNotFound" }] });
  });

  test.each(["ui", "docs"])("/__admin/%s has no paths below it, and accepts only GET", async (path) => {
    expect((await mock.fetch(`/__admin/${path}/page.css`)).status).toBe(404);
    const posted = await mock.fetch(`/__admin/${path}`, { method: "POST" });
    expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET"]);
  });
});

describe("a mock with an admin token", () => {
  const mock = useMock("over a socket", { adminToken: "sesame" });

  test("the pages need no token, but their data does", async () => {
    for (const path of ["ui", "docs"]) {
      const page = await mock.fetch(`/__admin/${path}`);
      expect(page.status).toBe(200);
      expect(await page.text()).not.toContain("sesame");
    }
    expect((await mock.fetch("/", fromBrowser)).status).toBe(302);
    expect((await mock.fetch("/__admin/projects")).status).toBe(401);
    expect((await mock.fetch("/__admin/contract.json")).status).toBe(401);
  });
});
