import { type Answer, stateAnswer } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import { resourceText } from "../state/record.ts";
import { findResource, type IdOrKey } from "./lookup.ts";

export function getResourceById(call: Call): Promise<Answer> {
  return read(call, { id: call.path.id ?? "" });
}

export function getResourceByKey(call: Call): Promise<Answer> {
  return read(call, { key: call.path.key ?? "" });
}

async function read(call: Call, place: IdOrKey): Promise<Answer> {
  const { record, bornFrom } = await findResource(call, place);
  const answer = stateAnswer(200, resourceText(record));
  return bornFrom === undefined ? answer : { ...answer, source: `fixture:${bornFrom}` };
}
