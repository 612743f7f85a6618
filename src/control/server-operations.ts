import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Schema, string } from "../contract/index.ts";
import { hrefOf } from "../journal/index.ts";
import { acceptsGzip, type ControlResponse, notFound, tagOf } from "./control-response.ts";
import { Health, OpenApi } from "./control-schemas.ts";
import { type ControlCall, json, onServer, problem } from "./define-operation.ts";

const isKnown = { description: "The client has this version of the document: its tag is in `If-None-Match`." };

const Page = { type: "string", description: "An HTML document that loads no other files." } as const satisfies Schema;

const PEM = "application/pem-certificate-chain";
const Certificate = { type: "string", description: "A certificate as PEM." } as const satisfies Schema;

/** The operations of the server itself, and its pages. A browser cannot send a token when it opens a page, so they are open. */
export const operations = {
  getHealth: onServer("GET", "/health", {
    reach: "process",
    summary: "Return the health of the server",
    description: "Never requires the admin token.",
    isOpen: true,
    responses: {
      200: json("The server is healthy.", Health),
      503: json("The server is stopping, or the shared store cannot be used.", Health),
    },
    handle({ control }) {
      const health = control.health();
      return { status: health.status === "ok" ? 200 : 503, json: health };
    },
  }),

  getCaCertificate: onServer("GET", "/ca.pem", {
    reach: "process",
    summary: "Return the CA certificate for HTTPS",
    description:
      "Clients that trust this CA accept the certificate that the server has created. Never requires the admin token.",
    isOpen: true,
    responses: {
      200: json("The CA certificate.", Certificate, { mediaType: PEM }),
      404: problem("The server does not speak HTTPS, or has a certificate of its own."),
    },
    handle({ control: { caCertificate } }) {
      const problem = "CA certificate: expected HTTPS with a created certificate, found none";
      const hint = "Start the server with --https-port and without --tls-cert";
      if (caCertificate === undefined) throw notFound(`${problem}. ${hint}`);
      return { status: 200, content: caCertificate, headers: { "Content-Type": PEM } };
    },
  }),

  getContract: onServer("GET", "/contract.json", {
    reach: "process",
    summary: "Return the contract of the service as OpenAPI 3.1",
    responses: { 200: json("The contract, with fixtures as examples.", OpenApi), 304: isKnown },
    async handle({ control, engine, origin, header }) {
      const { contractDocument } = await import("../state/openapi/index.ts");
      const document = await contractDocument(engine.contract, engine.fixtures, control.version, origin);
      return keptByClients("contract", JSON.stringify(document), jsonHeaders, header);
    },
  }),

  getControlApi: onServer("GET", "/openapi.json", {
    reach: "process",
    summary: "Return the control API as OpenAPI 3.1",
    responses: { 200: json("The OpenAPI document.", OpenApi), 304: isKnown },
    async handle({ control, engine, origin, header }) {
      const { controlDocument } = await import("./control-document.ts");
      const [operations, controls] = [await control.operations(), await control.controls()];
      const document = controlDocument(operations, { version: control.version, controls }, engine.contract, origin);
      return keptByClients("control API", JSON.stringify(document), jsonHeaders, header);
    },
  }),

  resetAll: onServer("POST", "/reset", {
    summary: "Reset all projects to their initial state",
    description:
      "Resets every project as `POST /__admin/projects/{projectKey}/reset` does. Then only the scenarios of the server start are active for all projects.",
    async handle({ engine }) {
      await engine.resetAll();
    },
  }),

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
      return keptByClients("dashboard", await control.pages.dashboard(), headersOfPage, header);
    },
  }),

  getDocs: onServer("GET", "/docs", {
    reach: "process",
    summary: "Redirect to the API view of the dashboard, to read and try both APIs",
    description:
      "Never requires the admin token. The OpenAPI documents are `/__admin/contract.json` (service) and `/__admin/openapi.json` (control API).",
    isOpen: true,
    responses: {
      302: json("The address of the view, in `Location` and in the text.", string, { mediaType: "text/plain" }),
    },
    handle() {
      const Location = `/__admin/ui${hrefOf({ view: "api" })}`;
      const content = `The API reference is a page: ${Location}\nThe service as OpenAPI: /__admin/contract.json\nThe control API as OpenAPI: /__admin/openapi.json\n`;
      return { status: 302, content, headers: { "Content-Type": "text/plain; charset=utf-8", Location } };
    },
  }),
};

type Headers = NonNullable<ControlResponse["headers"]>;

/** The last text of each name, with its headers. Pages and documents do not change while the server runs. */
const last = new Map<string, { text: string; bytes: Uint8Array<ArrayBuffer>; headers: Headers }>();

/**
 * Returns a page or a document: compressed if the client accepts that, and without its content if the client has it.
 * Clients keep it, and check its tag each time.
 */
function keptByClients(
  name: string,
  text: string,
  headersOf: (text: string) => Headers,
  header: ControlCall["header"],
): ControlResponse {
  let kept = last.get(name);
  if (kept?.text !== text) {
    const headers = { ...headersOf(text), "Cache-Control": "no-cache", ETag: tagOf(text), Vary: "Accept-Encoding" };
    kept = { text, bytes: new Uint8Array(gzipSync(text)), headers };
    last.set(name, kept);
  }
  const { bytes, headers } = kept;
  if (header("if-none-match") === headers.ETag) return { status: 304, headers };
  if (!acceptsGzip(header)) return { status: 200, content: text, headers };
  return { status: 200, content: bytes, headers: { ...headers, "Content-Encoding": "gzip" } };
}

const jsonHeaders = () => ({ "Content-Type": "application/json" });

function headersOfPage(html: string): Headers {
  // Only the script of the page and calls to this server are allowed.
  const policy = [
    "default-src 'none'",
    `script-src ${hashesOf("script", html)}`,
    `style-src ${hashesOf("style", html)}`,
    "connect-src 'self'",
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
}

function hashesOf(tag: string, html: string): string {
  const contents = Array.from(html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs")), ([, text = ""]) => text);
  return contents.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(" ");
}
