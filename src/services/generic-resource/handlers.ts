import { type Awaitable, detached, invalidParameter, type ResourceType } from "../../contract/index.ts";
import {
  type Call,
  createItem,
  documentedResponse,
  type Handler,
  mediaType,
  readDraft,
  stateResponse,
  violate,
  writeItem,
  writtenResponse,
} from "../../engine/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { collectionIn, contentOf, fileItem, type Item, itemById, itemText, nextVersion } from "../../state/index.ts";
import { IMAGE, NAMESPACE_ACTION, RESOURCE, types } from "./types.ts";

/** What the operations do that no role describes. */
export const handlers: Readonly<Record<string, Handler>> = {
  searchResources,
  /** Returns 200 if the project has any resource, else 404. */
  checkResourceExists: ({ project }) =>
    stateResponse(collectionIn(project.state, RESOURCE).items.size > 0 ? 200 : 404, null),
  overwriteResource: overwriteLastWritten,
  createOrOverwriteResource: overwriteLastWritten,
  uploadImage,
  writeNamespaceAction,
  readNamespaceAction,
};

const resource = types[0] as ResourceType;

const HIGHEST_FUZZY_LEVEL = 10;

/** Returns the fixture, as the interface defines neither the response nor the searched fields. */
function searchResources(call: Call): Awaitable<ServiceResponse> {
  const { fuzzyLevel } = call.query as { fuzzyLevel?: number };
  if (fuzzyLevel !== undefined && fuzzyLevel > HIGHEST_FUZZY_LEVEL) {
    const expected = `at most ${HIGHEST_FUZZY_LEVEL}, the platform's default level`;
    violate(call, [invalidParameter("fuzzyLevel", expected, fuzzyLevel)]);
  }
  return documentedResponse(call);
}

/**
 * Overwrites the resource that clients last wrote through `createResource`, `overwriteResource` or
 * `createOrOverwriteResource`, and raises its version by 1. Creates a resource if no such resource exists.
 * The draft has no id and no key, so it cannot name the resource itself.
 */
function overwriteLastWritten(call: Call): Awaitable<ServiceResponse> {
  const resources = collectionIn(call.project.state, RESOURCE);
  const { lastWritten } = resources.facts;
  const current = lastWritten === undefined ? undefined : itemById(resources, lastWritten);
  if (!current) {
    call.decisions.push({ kind: "nothing-to-overwrite", ...(lastWritten !== undefined && { deleted: lastWritten }) });
    return createItem(call, { type: RESOURCE });
  }
  const version = nextVersion(current);
  const next: Item = {
    ...current,
    version,
    lastModifiedAt: call.project.clock.timestamp(),
    content: contentOf(resource, { id: current.id, version }, readDraft(call, resource)),
  };
  call.project.change((draft) => writeItem(draft, RESOURCE, next), call.author);
  return writtenResponse(call, resource, next, "overwrote");
}

/** The first bytes of files of the three types, in hexadecimal. The mock checks only these: it does not decode images. */
const signatures: ReadonlyMap<string, readonly string[]> = new Map([
  ["image/jpeg", ["ffd8ff"]],
  ["image/png", ["89504e470d0a1a0a"]],
  ["image/gif", ["474946383761", "474946383961"]],
]);

/** Stores the image in the project. The control API returns it. */
function uploadImage(call: Call): Awaitable<ServiceResponse> {
  const contentType = mediaType(call.request) ?? "application/octet-stream";
  const firstBytes = Buffer.from(call.bytes.subarray(0, 8)).toString("hex");
  const expected = signatures.get(contentType);
  if (call.bytes.length > 0 && expected && !expected.some((signature) => firstBytes.startsWith(signature))) {
    const message = `Body: expected the first bytes of ${contentType} (${expected.join(" or ")}), found ${firstBytes}`;
    violate(call, [{ code: "InvalidInput", message }]);
  }
  const given = ["filename", "variant", "sku", "staged"].flatMap((name) => {
    const value = call.query[name];
    return value === undefined ? [] : [[name, typeof value === "string" ? detached(value) : value]];
  });
  const facts = { ...Object.fromEntries(given), contentType: detached(contentType) };
  const { project } = call;
  const id = project.change((draft) => {
    const id = project.newId(draft, IMAGE);
    draft.put(IMAGE, fileItem(id, project.clock.timestamp(), facts, call.bytes));
    return id;
  }, call.author);
  call.decisions.push({ kind: "stored", image: id });
  return documentedResponse(call);
}

/** Stores a JSON body for `readNamespaceAction`. Returns the fixture, as the interface defines no response body. */
function writeNamespaceAction(call: Call): Awaitable<ServiceResponse> {
  const { json, project } = call;
  if (json) {
    project.change((draft) => draft.setSingleton(NAMESPACE_ACTION, json.value, project.clock.timestamp()), call.author);
  }
  return documentedResponse(call);
}

/** Returns the body that `writeNamespaceAction` stored last; without one, the fixture. */
function readNamespaceAction(call: Call): Awaitable<ServiceResponse> {
  const stored = itemById(collectionIn(call.project.state, NAMESPACE_ACTION), "");
  return stored ? stateResponse(200, itemText(stored)) : documentedResponse(call);
}
