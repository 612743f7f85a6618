import type { Schema } from "../contract/index.ts";
import { compressedResponse } from "./compressed.ts";
import { notFound } from "./control-response.ts";
import { Health } from "./control-schemas.ts";
import { json, onServer, problem } from "./define-operation.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const isKnown = { description: "The client has this version of the document: its tag is in `If-None-Match`." };
const OpenApi = { type: "object", description: "An OpenAPI 3.1 document." } as const satisfies Schema;

const PEM = "application/pem-certificate-chain";
const Certificate = { type: "string", description: "A certificate as PEM." } as const satisfies Schema;

/** The operations of the server itself. */
export const operations = {
  getHealth: onServer("GET", "/health", {
    reach: "process",
    summary: "Return the health of the server",
    description: "Never requires the admin token.",
    isOpen: true,
    responses: {
      200: json("The server is healthy.", Health),
      503: json("The server is stopping, or the shared store cannot be reached.", Health),
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
      if (caCertificate === undefined) {
        throw notFound(
          "CA certificate: expected HTTPS with a created certificate, found none. Start the server with --https-port and without --tls-cert",
        );
      }
      return { status: 200, content: caCertificate, headers: { "Content-Type": PEM } };
    },
  }),

  getContract: onServer("GET", "/contract.json", {
    reach: "process",
    summary: "Return the contract of the service as OpenAPI 3.1",
    responses: { 200: json("The contract, with fixtures as examples.", OpenApi), 304: isKnown },
    async handle({ control, engine, origin, header }) {
      const { contractDocument } = await import("../state/openapi/index.ts");
      const document = contractDocument(engine.contract, engine.fixtures, control.version, origin);
      return compressedResponse("contract", JSON.stringify(document), JSON_TYPE, header);
    },
  }),

  getControlApi: onServer("GET", "/openapi.json", {
    reach: "process",
    summary: "Return the control API as OpenAPI 3.1",
    responses: { 200: json("The OpenAPI document.", OpenApi), 304: isKnown },
    async handle({ control, engine, origin, header }) {
      const { controlDocument } = await import("./control-document.ts");
      const document = controlDocument(await control.operations(), control.version, engine.contract, origin);
      return compressedResponse("control API", JSON.stringify(document), JSON_TYPE, header);
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
};
