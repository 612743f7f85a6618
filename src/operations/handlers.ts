import type { OperationId } from "../contract/operations.ts";
import { type Answer, fixtureAnswer } from "../engine/answer.ts";
import { type Call, fixtureOf } from "../engine/call.ts";
import { deleteResource } from "./delete.ts";
import { uploadImage } from "./image.ts";
import { readNamespaceAction, writeNamespaceAction } from "./namespace-action.ts";
import { checkResourceExists, queryResources, queryWithSortedParameters, searchResources } from "./query.ts";
import { getResourceById, getResourceByKey } from "./read.ts";
import { updateResource } from "./update.ts";
import { createOrOverwriteResource, createResource, overwriteResource } from "./write.ts";

/** Answers a call that has been let in: from the project's state, or from the operation's fixture. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

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

/** Operations without state: the answer that the interface names first. */
function fromFixture(call: Call): Answer {
  return fixtureAnswer(fixtureOf(call, 200));
}
