import { isObject, ServiceError, successStatus } from "../../contract/index.ts";
import { type Author, type ChangeSet, type DecisionNamed, writerOf } from "../../journal/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { type CollectionName, type Item, itemText, nextVersion, updatedItem } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";
import { findItem, type RoleOf } from "./find.ts";

/* Updates of an item by actions. */

/**
 * Applies the actions in their order, all or none, if `version` is the current version (section 2.6 of the interface). A
 * request with at least one action raises the version by 1.
 */
export function updateItem(call: Call, role: RoleOf<"update">): ServiceResponse {
  const { version, actions } = readUpdate(call);
  const { item, type, collection } = findItem(call, role);
  const status = successStatus(call.operation);
  // The settings `report` and `off` of `validation` accept a body without a version.
  if (version !== undefined && version !== item.version) {
    explainConflict(call, version, item, collection);
    throw concurrentModification(version, item.version);
  }
  if (actions.length === 0) {
    call.decisions.push({ kind: "unchanged", version: item.version });
    return stateResponse(status, itemText(item));
  }
  const next = updatedItem(
    type,
    item,
    { version: nextVersion(item), lastModifiedAt: call.project.clock.timestamp() },
    Object.assign({}, ...actions.map((action) => role.actions[action.action as string]?.(action))),
  );
  // Written first, as the change needs its length.
  const text = itemText(next);
  call.project.change((draft) => draft.put(collection, next), call.author);
  call.applied = namesOf(actions);
  call.decisions.push({ kind: "updated", version: next.version });
  return stateResponse(status, text);
}

type UpdateAction = { [field: string]: unknown };

/** Returns the names of the update actions in the body, without duplicates. */
export function actionsIn(call: Call): string[] {
  return call.operation.actions ? namesOf(readUpdate(call).actions) : [];
}

function namesOf(actions: readonly UpdateAction[]): string[] {
  return [...new Set(actions.map(({ action }) => action as string))];
}

/** Returns the version and the actions in the body. Ignores invalid parts, which `validation` may have accepted. */
function readUpdate(call: Call): { version: number | undefined; actions: UpdateAction[] } {
  const body = isObject(call.json?.value) ? call.json.value : {};
  const isKnown = (action: unknown) =>
    isObject(action) && call.operation.actions?.some((name) => name === action.action);
  return {
    version: typeof body.version === "number" ? body.version : undefined,
    actions: Array.isArray(body.actions) ? body.actions.filter(isKnown) : [],
  };
}

/** Adds the decision who wrote the stored version. */
function explainConflict(call: Call, sent: number, item: Item, collection: CollectionName): void {
  const { author, engine, project } = call;
  const { version: stored } = item;
  const set = sent < stored ? writerOf(project.history, collection, item) : undefined;
  call.decisions.push({ kind: "conflict", sent, stored, ...(set && { writer: writer(set, author, engine.now()) }) });
}

function writer({ author, at }: ChangeSet, own: Author, now: number): DecisionNamed<"conflict">["writer"] {
  const earlier = Math.max(0, now - at);
  if (author === own) return { by: "effect", earlier };
  const { by, request, method, path, client } = author;
  const facts = Object.entries({ request, method, path, client }).filter(([, value]) => value !== undefined);
  return { by, ...Object.fromEntries(facts), earlier };
}

/** Returns the 409 of section 7 of the interface. */
function concurrentModification(sent: number, actual: number): ServiceError {
  return new ServiceError({
    code: "ConcurrentModification",
    message: `Version mismatch: expected ${sent}, actual ${actual}. Read the resource again and retry with its version.`,
    field: "/version",
    currentVersion: actual,
  });
}
