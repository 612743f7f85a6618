import { type Call, fixtureOf } from "../call/call.ts";
import { fixtureResponse, type ServiceResponse, stateResponse } from "../call/response.ts";

/** Stores a JSON body for `readNamespaceAction`. Returns the fixture, as the interface defines no response body. */
export async function writeNamespaceAction(call: Call): Promise<ServiceResponse> {
  if (call.json) await call.project.store.setFacts({ namespaceAction: { body: call.json.value } });
  return fixtureResponse(fixtureOf(call, 200));
}

/** Returns the body that `writeNamespaceAction` stored last; without one, the fixture. */
export async function readNamespaceAction(call: Call): Promise<ServiceResponse> {
  const { namespaceAction } = await call.project.store.facts();
  return namespaceAction
    ? stateResponse(200, JSON.stringify(namespaceAction.body))
    : fixtureResponse(fixtureOf(call, 200));
}
