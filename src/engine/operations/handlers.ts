import { type OperationId, type ServiceOperation, successStatus } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { type Call, fixtureOf } from "../call/call.ts";
import { fixtureResponse } from "../call/response.ts";
import { deleteResource } from "./delete.ts";
import { uploadImage } from "./image.ts";
import { readNamespaceAction, writeNamespaceAction } from "./namespace-action.ts";
import { checkResourceExists, queryResources, queryWithSortedParameters, searchResources } from "./query.ts";
import { getResourceById, getResourceByKey } from "./read-resource.ts";
import { updateResource } from "./update.ts";
import { createOrOverwriteResource, createResource, overwriteResource } from "./write.ts";

/** Returns the response to an authorized call: from the project's state, or from the operation's fixture. */
type Handler = (call: Call) => ServiceResponse | Promise<ServiceResponse>;

/** The handlers of the operations. Scenarios, rules and `Prefer` override them. */
export const handlers: Readonly<Record<OperationId, Handler>> = {
  queryResources,
  getResourceById,
  getResourceByKey,
  searchResources,
  checkResourceExists,
  createResource,
  overwriteResource,
  createOrOverwriteResource,
  runComplexOperation: fromFixture,
  updateResource,
  deleteResource,
  queryWithSortedParameters,
  uploadImage,
  writeNamespaceAction,
  readNamespaceAction,
  getCart: fromFixture,
};

/** Returns the handler of the operation. An operation of another contract has no handler, and returns its fixture. */
export function handlerOf({ id }: ServiceOperation): Handler {
  return Object.hasOwn(handlers, id) ? handlers[id] : fromFixture;
}

/** Returns the fixture of the operation's lowest success status. */
function fromFixture(call: Call): ServiceResponse {
  return fixtureResponse(fixtureOf(call, successStatus(call.operation)));
}
