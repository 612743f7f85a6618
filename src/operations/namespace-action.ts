import { type Answer, fixtureAnswer, stateAnswer } from "../call/answer.ts";
import { type Call, fixtureOf } from "../call/call.ts";

/** Keeps a JSON body for readNamespaceAction. Returns the fixture, as the interface shows no body. */
export async function writeNamespaceAction(call: Call): Promise<Answer> {
  if (call.json) await call.project.store.setFacts({ namespaceAction: { body: call.json.value } });
  return fixtureAnswer(fixtureOf(call, 200));
}

/** Returns what was last written, else the fixture. */
export async function readNamespaceAction(call: Call): Promise<Answer> {
  const { namespaceAction } = await call.project.store.facts();
  return namespaceAction ? stateAnswer(200, JSON.stringify(namespaceAction.body)) : fixtureAnswer(fixtureOf(call, 200));
}
