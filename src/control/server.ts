import { contractDocument } from "../fixtures/contract-document.ts";
import { type Handler, ok } from "./control.ts";
import { controlDocument } from "./document.ts";

/** The server itself, and its documents. */

export const getHealth: Handler = ({ control }) => {
  const health = control.health();
  return { status: health.status === "ok" ? 200 : 503, json: health };
};

export const getContract: Handler = ({ control, engine }) =>
  ok(contractDocument(engine.contract, engine.fixtures, control.version));

export const getControlApi: Handler = ({ control }) => ok(controlDocument(control.version));
