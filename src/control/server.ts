import type { Schema } from "../contract/schema.ts";
import { json, nothing, onServer } from "./operation.ts";
import { done, ok } from "./response.ts";
import { Health } from "./schemas.ts";

const OpenApi = { type: "object", description: "An OpenAPI 3.1 document." } as const satisfies Schema;

/** The operations of the server itself. */
export const serverOperations = {
  getHealth: onServer("GET", "/health", {
    summary: "Whether the server is well",
    description: "Open to everybody, with an admin token too.",
    isOpen: true,
    responses: { 200: json("It is.", Health), 503: json("It is stopping.", Health) },
    handle({ control }) {
      const health = control.health();
      return { status: health.status === "ok" ? 200 : 503, json: health };
    },
  }),

  getContract: onServer("GET", "/contract.json", {
    summary: "The contract of the service",
    responses: { 200: json("The contract, with the fixtures as examples.", OpenApi) },
    async handle({ control, engine, origin }) {
      const { contractDocument } = await import("../fixtures/contract-document.ts");
      return ok(contractDocument(engine.contract, engine.fixtures, control.version, origin));
    },
  }),

  getControlApi: onServer("GET", "/openapi.json", {
    summary: "The control API, as OpenAPI 3.1",
    responses: { 200: json("The document.", OpenApi) },
    async handle({ control, engine, origin }) {
      const { controlDocument } = await import("./document.ts");
      return ok(controlDocument(control, engine.contract, origin));
    },
  }),

  resetAll: onServer("POST", "/reset", {
    summary: "Put every project back to its beginning",
    description:
      "As a project's own reset does, for all of them; and the scenarios that are on for all are those of the start.",
    responses: { 204: nothing },
    async handle({ engine }) {
      await engine.resetAll();
      return done;
    },
  }),
};
