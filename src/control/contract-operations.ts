import {
  cut,
  didYouMean,
  OperationSummary,
  type SecurityScheme,
  scopeNames,
  string,
  summaryOf,
} from "../contract/index.ts";
import { list, notFound, ok } from "./control-response.ts";
import { ContractSecurity, OpenApi } from "./control-schemas.ts";
import { json, listOf, onServer, PAGE, paging, problem } from "./define-operation.ts";

/** What the mock has understood of the operations of the service. A large contract is read in parts. */
export const operations = {
  listOperations: onServer("GET", "/contract/operations", {
    reach: "process",
    summary: "List the operations of the service, each in a line: what it does with the state, and why",
    query: { ...paging, q: { ...string, description: "Words of the id, path, summary, tag or type." } },
    responses: { 200: json("The operations, in the order of the contract.", listOf("operations", OperationSummary)) },
    handle({ engine, query: { limit = PAGE, offset = 0, q = "" } }) {
      const words = q.toLowerCase().split(/\s+/);
      const found = engine.contract.operations.filter(({ id, path, summary, tag, role }) => {
        const text = [id, path, summary, tag, role?.type].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      });
      return list("operations", found.slice(offset, offset + limit).map(summaryOf), found.length);
    },
  }),

  getOperation: onServer("GET", "/contract/operations/{operationId}", {
    reach: "process",
    summary: "Return one operation of the service, as an OpenAPI document with only this operation",
    pathParameters: { operationId: { description: "The id of an operation of the service.", example: "getPet" } },
    responses: {
      200: json("The operation, with all that it refers to.", OpenApi),
      404: problem("No operation has this id."),
    },
    async handle({ engine, control, origin, path: { operationId } }) {
      const operation = engine.contract.find(operationId);
      const hint = didYouMean(operationId, engine.contract.ids);
      if (!operation) throw notFound(`No operation has the id "${cut(operationId, 100)}".${hint}`);
      const { contractDocument, documentOf } = await import("../state/openapi/index.ts");
      const document = await contractDocument(engine.contract, engine.fixtures, control.version, origin);
      return ok(documentOf(operation, document));
    },
  }),

  getSecurity: onServer("GET", "/contract/security", {
    reach: "process",
    summary: "Return the credentials that operations of the service require, and the scopes of tokens",
    responses: { 200: json("The credentials and scopes.", ContractSecurity) },
    handle({ engine: { contract } }) {
      const all = contract.operations.flatMap(({ security = [] }) => security.flat());
      const credentials = new Map<string, SecurityScheme>(all.map(({ scheme }) => [JSON.stringify(scheme), scheme]));
      return ok({ credentials: [...credentials.values()], scopes: scopeNames(contract) });
    },
  }),
};
