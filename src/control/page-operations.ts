import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Schema } from "../contract/index.ts";
import { hrefOf } from "../journal/index.ts";
import { json, onServer } from "./define-operation.ts";

const Text = { type: "string" } as const satisfies Schema;
const Page = { type: "string", description: "An HTML document that loads no other files." } as const satisfies Schema;

/** The pages for browsers. A browser cannot send a token when it opens an address, so the pages are open. */
export const operations = {
  getDashboard: onServer("GET", "/ui", {
    reach: "process",
    summary: "Return the dashboard, a page to inspect and change projects",
    description:
      "Never requires the admin token, as a browser cannot send a token when it opens an address. The page contains no project data; it prompts the user for the token. A browser that opens `/` is redirected here.",
    isOpen: true,
    responses: {
      200: json("The page.", Page, { mediaType: "text/html" }),
      304: { description: "The browser has this version of the page: its tag is in `If-None-Match`." },
    },
    async handle({ control, header }) {
      const page = preparedPage(await control.pages.dashboard());
      if (header("if-none-match") === page.headers.ETag) return { status: 304, headers: page.headers };
      if (!/\bgzip\b/.test(header("accept-encoding") ?? ""))
        return { status: 200, content: page.content, headers: page.headers };
      return { status: 200, content: page.compressed, headers: { ...page.headers, "Content-Encoding": "gzip" } };
    },
  }),

  getDocs: onServer("GET", "/docs", {
    reach: "process",
    summary: "Redirect to the API view of the dashboard, to read and try both APIs",
    description:
      "Never requires the admin token. The OpenAPI documents are `/__admin/contract.json` (service) and `/__admin/openapi.json` (control API).",
    isOpen: true,
    responses: {
      302: json("The address of the view, in `Location` and in the text.", Text, { mediaType: "text/plain" }),
    },
    handle() {
      const Location = `/__admin/ui${hrefOf({ view: "api" })}`;
      const content = `The API reference is a page: ${Location}\nThe service as OpenAPI: /__admin/contract.json\nThe control API as OpenAPI: /__admin/openapi.json\n`;
      return { status: 302, content, headers: { "Content-Type": "text/plain; charset=utf-8", Location } };
    },
  }),
};

interface PreparedPage {
  readonly content: string;
  readonly compressed: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

let prepared: PreparedPage | undefined;

/** Returns the page with its headers. The page does not change, so they are computed once. */
function preparedPage(html: string): PreparedPage {
  if (prepared?.content === html) return prepared;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyOf(html),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // Browsers keep the page, and check its tag each time.
    "Cache-Control": "no-cache",
    ETag: `"${createHash("sha256").update(html).digest("base64url").slice(0, 24)}"`,
    Vary: "Accept-Encoding",
  };
  prepared = { content: html, compressed: new Uint8Array(gzipSync(html)), headers };
  return prepared;
}

/** Returns a content security policy that allows only the script of the page and calls to this server. */
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

/** Returns the hash of each such element, as sources of a content security policy (CSP 3, 2.3.1). */
function hashesOf(tag: string, html: string): string {
  const contents = html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"));
  return Array.from(contents, ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(
    " ",
  );
}
