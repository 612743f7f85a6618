import { detached, IMAGE, NAMESPACE_ACTION, type Operation, successStatus } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { collectionIn, fileItem, itemById, itemText } from "../../state/index.ts";
import { type Call, fixtureOf, violate } from "../call/call.ts";
import { fixtureResponse, stateResponse } from "../call/response.ts";
import { mediaType } from "../call/service-request.ts";
import { checkResourceExists, queryResources, queryState, searchResources } from "./query.ts";
import { createResource, deleteResource, overwriteLastWritten, readResource, updateResource } from "./resource.ts";

/** Returns the response to an authorized call: from the project's state, or from the operation's fixture. */
type Handler = (call: Call) => ServiceResponse | Promise<ServiceResponse>;

/** The handlers of the operations. Scenarios, rules and `Prefer` override them. */
export const handlers: Readonly<Record<string, Handler>> = {
  queryResources,
  getResourceById: (call) => readResource(call, "id"),
  getResourceByKey: (call) => readResource(call, "key"),
  searchResources,
  checkResourceExists,
  createResource,
  overwriteResource: overwriteLastWritten,
  createOrOverwriteResource: overwriteLastWritten,
  runComplexOperation: fromFixture,
  updateResource,
  deleteResource,
  queryWithSortedParameters: queryState,
  uploadImage,
  writeNamespaceAction,
  readNamespaceAction,
  getCart: fromFixture,
};

/** Returns the handler of the operation. An operation of another contract has no handler, and returns its fixture. */
export function handlerOf({ id }: Operation): Handler {
  return (Object.hasOwn(handlers, id) && handlers[id]) || fromFixture;
}

function fromFixture(call: Call): ServiceResponse {
  return fixtureResponse(fixtureOf(call, successStatus(call.operation)));
}

/** The first bytes of files of the three types, in hexadecimal. The mock checks only these: it does not decode images. */
const signatures: ReadonlyMap<string, readonly string[]> = new Map([
  ["image/jpeg", ["ffd8ff"]],
  ["image/png", ["89504e470d0a1a0a"]],
  ["image/gif", ["474946383761", "474946383961"]],
]);

/** Stores the image in the project. The control API returns it. */
function uploadImage(call: Call): ServiceResponse {
  const contentType = mediaType(call.request) ?? "application/octet-stream";
  const firstBytes = Buffer.from(call.bytes.subarray(0, 8)).toString("hex");
  const expected = signatures.get(contentType);
  if (call.bytes.length > 0 && expected && !expected.some((signature) => firstBytes.startsWith(signature))) {
    const message = `Body: expected the first bytes of ${contentType} (${expected.join(" or ")}), found ${firstBytes}`;
    violate(call, [{ code: "InvalidInput", message }]);
  }
  const { filename, variant, sku, staged } = call.query as {
    filename?: string;
    variant?: number;
    sku?: string;
    staged?: boolean;
  };
  const facts = {
    ...(filename !== undefined && { filename: detached(filename) }),
    ...(variant !== undefined && { variant }),
    ...(sku !== undefined && { sku: detached(sku) }),
    ...(staged !== undefined && { staged }),
    contentType: detached(contentType),
  };
  const { project } = call;
  const id = project.change((draft) => {
    const id = project.newId(draft, IMAGE);
    draft.put(IMAGE, fileItem(id, project.clock.timestamp(), facts, call.bytes));
    return id;
  }, call.author);
  call.decisions.push({ kind: "stored", image: id });
  return fixtureResponse(fixtureOf(call, 200));
}

/** Stores a JSON body for `readNamespaceAction`. Returns the fixture, as the interface defines no response body. */
function writeNamespaceAction(call: Call): ServiceResponse {
  const { json, project } = call;
  if (json) {
    project.change((draft) => draft.setSingleton(NAMESPACE_ACTION, json.value, project.clock.timestamp()), call.author);
  }
  return fixtureResponse(fixtureOf(call, 200));
}

/** Returns the body that `writeNamespaceAction` stored last; without one, the fixture. */
function readNamespaceAction(call: Call): ServiceResponse {
  const stored = itemById(collectionIn(call.project.state, NAMESPACE_ACTION), "");
  return stored ? stateResponse(200, itemText(stored)) : fixtureResponse(fixtureOf(call, 200));
}
