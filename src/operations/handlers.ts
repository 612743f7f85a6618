import { type Call, fixtureOf } from "../call/call.ts";
import { fixtureResponse, type ServiceResponse } from "../call/response.ts";
import type { OperationId, ServiceOperation } from "../contract/contract.ts";
import { successStatus } from "../contract/operation.ts";
import { deleteResource } from "./delete.ts";
import { uploadImage } from "./image.ts";
import { readNamespaceAction, writeNamespaceAction } from "./namespace-action.ts";
import { checkResourceExists, queryResources, queryWithSortedParameters, searchResources } from "./query.ts";
import { getResourceById, getResourceByKey } from "./read.ts";
import { updateResource } from "./update.ts";
import { createOrOverwriteResource, createResource, overwriteResource } from "./write.ts";

/** Answers a call that has been let in: from the project's state, or from the operation's fixture. */
type Handler = (call: Call) => ServiceResponse | Promise<ServiceResponse>;

/** What each operation does when no scenario says otherwise. */
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

/** Returns the operation's handler; an operation that only another contract has returns its fixture. */
export function handlerOf({ id }: ServiceOperation): Handler {
  return Object.hasOwn(handlers, id) ? handlers[id] : fromFixture;
}

/** Operations without state return the fixture of their lowest status. */
function fromFixture(call: Call): ServiceResponse {
  return fixtureResponse(fixtureOf(call, successStatus(call.operation)));
}
