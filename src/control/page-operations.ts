import { createHash } from "node:crypto";
import type { Schema } from "../contract/index.ts";
import { hrefOf } from "../journal/index.ts";
import { compressedResponse } from "./compressed.ts";
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
      const page = await control.pages.dashboard();
      return compressedResponse("dashboard", page, headersOf(page), header);
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

/** The last page with its headers: hashing its script takes longer than all else. */
let last: { readonly html: string; readonly headers: Readonly<Record<string, string>> } | undefined;

function headersOf(html: string): Readonly<Record<string, string>> {
  if (last?.html !== html) {
    const headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policyOf(html),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    };
    last = { html, headers };
  }
  return last.headers;
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

function hashesOf(tag: string, html: string): string {
  const contents = html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"));
  return Array.from(contents, ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(
    " ",
  );
}
