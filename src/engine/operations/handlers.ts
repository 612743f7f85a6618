import type { Awaitable, Role } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import type { Call } from "../call/call.ts";
import { documentedResponse } from "./documented.ts";
import { listItems } from "./list.ts";
import { unreadIn, withIgnored } from "./sent.ts";
import { updateItem } from "./update.ts";
import { createItem, deleteItem, readItem, replaceItem } from "./write.ts";

/** Returns the response to an authorized call, from the state of the project or from what the operation documents. */
export type Handler = (call: Call) => Awaitable<ServiceResponse>;

const byRole: { readonly [Does in Role["does"]]: (call: Call, role: never) => Awaitable<ServiceResponse> } = {
  list: listItems,
  create: createItem,
  read: readItem,
  replace: replaceItem,
  merge: replaceItem,
  update: updateItem,
  delete: deleteItem,
};

/** Responds with the handler that the service has for the operation; else by the role; else with what is documented. */
export function runOperation(call: Call): Awaitable<ServiceResponse> {
  const { engine, operation } = call;
  const { id, role } = operation;
  const own = Object.hasOwn(engine.handlers, id) ? engine.handlers[id] : undefined;
  if (own) return own(call);
  if (!role) return documentedResponse(call);
  const responding = byRole[role.does](call, role as never);
  const type = engine.contract.typeOf(role.type);
  const isChange = /create|replace|merge|delete/.test(role.does) && type && !type.draft;
  return withIgnored(call, isChange ? unreadIn(call, role, type) : [], responding);
}
