import type { ServiceResponse } from "../../rules/index.ts";
import { type Call, fixtureOf } from "../call/call.ts";
import { fixtureResponse, stateResponse } from "../call/response.ts";

/** Stores a JSON body for `readNamespaceAction`. Returns the fixture, as the interface defines no response body. */
export function writeNamespaceAction(call: Call): ServiceResponse {
  const { json } = call;
  if (json) call.project.change((draft) => draft.setAction({ body: json.value }), call.author);
  return fixtureResponse(fixtureOf(call, 200));
}

/** Returns the body that `writeNamespaceAction` stored last; without one, the fixture. */
export function readNamespaceAction(call: Call): ServiceResponse {
  const { namespaceAction } = call.project.state;
  return namespaceAction
    ? stateResponse(200, JSON.stringify(namespaceAction.body))
    : fixtureResponse(fixtureOf(call, 200));
}
