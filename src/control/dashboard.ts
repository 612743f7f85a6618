import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { lazily } from "../contract/lazily.ts";
import type { Handler } from "./control.ts";

/** The dashboard's page, with a policy that lets it run its own script and call this server, and nothing else. */
export const getDashboard: Handler = async () => {
  const html = await page();
  const policy = [
    "default-src 'none'",
    `script-src ${hashesOf("script", html)}`,
    `style-src ${hashesOf("style", html)}`,
    "connect-src 'self'",
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    status: 200,
    content: html,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  };
};

/** The build has made it; from the sources it is made when it is first asked for. */
const page = lazily(async () => {
  if (typeof IS_BUILT !== "undefined") return readFile(new URL("./dashboard.html", import.meta.url), "utf8");
  const { buildPage } = await import("../dashboard/build.ts");
  return (await buildPage()).html;
});

/** What stands between these tags, as sources of a content security policy (CSP 3, 2.3.1). */
function hashesOf(tag: string, html: string): string {
  const contents = html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"));
  return Array.from(contents, ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(
    " ",
  );
}
