import { invalidField, isObject, MAX_ACTIONS, ServiceError } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { afterAction, nextVersion, updatedItem } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { findItem, type RoleOf } from "./find.ts";
import { itemResponse, statusFor } from "./item-response.ts";
import { requireVersion } from "./preconditions.ts";
import { withIgnored } from "./sent.ts";
import { putItem, requireValid } from "./write.ts";

/* Updates of an item by actions. */

type UpdateAction = { readonly action: string; readonly [field: string]: unknown };

/**
 * Applies the actions in their order, all or none, if `version` is the current version (section 2.6 of the interface). A
 * request with at least one action raises the version by 1.
 */
export function updateItem(call: Call, role: RoleOf<"update">): ServiceResponse | Promise<ServiceResponse> {
  const { decisions, engine, operation, project } = call;
  const all = readActions(call);
  const { actions: effects } = role;
  const actions = effects ? all.filter(({ action }) => Object.hasOwn(effects, action)) : all;
  const problem = `expected at most ${MAX_ACTIONS} actions, found ${actions.length}`;
  if (!effects && actions.length > MAX_ACTIONS) throw new ServiceError(invalidField("/actions", problem));
  const found = findItem(call, role);
  const { item, type, collection } = found;
  const { schema = {} } = type;
  requireVersion(call, role, found);
  if (actions.length === 0) {
    decisions.push({ kind: "unchanged", version: item.version });
    return itemResponse(call, type, item, statusFor(operation));
  }
  const change = { version: nextVersion(item), lastModifiedAt: project.clock.timestamp() };
  const ignored = new Set<string>();
  const next = project.change((draft) => {
    const facts = { now: change.lastModifiedAt, number: 1, uuid: () => project.idOf(draft.nextNumber()) };
    let content: Readonly<Record<string, unknown>> = { ...Object(item.content) };
    for (const action of actions) {
      const { action: name } = action;
      const own = effects?.[name];
      const subject = () => ({ schema, value: content, template: engine.samples.template(type), facts });
      const after = own ? Object.assign(content, own(action)) : afterAction(subject(), action);
      if (!after) ignored.add(name);
      content = after ?? content;
    }
    const updated = updatedItem(type, { ...item, content }, change);
    if (!type.draft) requireValid(call, role, type, item, updated.content);
    return putItem(draft, type, collection, updated, item);
  }, call.author);
  call.applied = namesOf(call, actions);
  decisions.push({ kind: "updated", version: next.version });
  return withIgnored(call, [...ignored], itemResponse(call, type, next, statusFor(operation)));
}

/** Returns the names of the update actions in the body, without duplicates. */
export function actionsIn(call: Call): string[] {
  return call.operation.actions ? namesOf(call, readActions(call)) : [];
}

/** Returns the names that the operation has for actions, without duplicates. */
function namesOf({ operation: { actions: known } }: Call, actions: readonly UpdateAction[]): string[] {
  const names = new Set(actions.map(({ action }) => action));
  return [...names].filter((name) => known?.includes(name));
}

/** Returns the actions in the body. Ignores invalid parts, which `validation` may have accepted. */
function readActions({ json }: Call): UpdateAction[] {
  const body = isObject(json?.value) ? json.value : {};
  const isAction = (each: unknown): each is UpdateAction => isObject(each) && typeof each.action === "string";
  return Array.isArray(body.actions) ? body.actions.filter(isAction) : [];
}
