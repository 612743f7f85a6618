import { createHash } from "node:crypto";
import type { Schema } from "../contract/schema.ts";
import { json, onServer } from "./operation.ts";

const Page = { type: "string", description: "One document, which loads nothing else." } as const satisfies Schema;

export const dashboardOperations = {
  getDashboard: onServer("GET", "/ui", {
    summary: "The dashboard: a page to look at projects and to drive them by hand",
    description:
      "Open to everybody, with an admin token too, as a browser cannot send one with the address: the page holds nothing of any project, and asks for the token. A browser that opens `/` is led here.",
    isOpen: true,
    responses: { 200: json("The page.", Page, { mediaType: "text/html" }) },
    async handle({ control }) {
      const html = await control.dashboardPage();
      return {
        status: 200,
        content: html,
        headers: {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": policyOf(html),
          "X-Content-Type-Options": "nosniff",
          "Referrer-Policy": "no-referrer",
        },
      };
    },
  }),
};

/** A policy that lets the page run its own script and call this server, and nothing else. */
function policyOf(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashesOf("script", html)}`,
    `style-src ${hashesOf("style", html)}`,
    "connect-src 'self'",
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** What stands between these tags, as sources of a content security policy (CSP 3, 2.3.1). */
function hashesOf(tag: string, html: string): string {
  const contents = html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"));
  return Array.from(contents, ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(
    " ",
  );
}
