import type { ServiceResponse } from "../../rules/index.ts";
import { resourceText } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";
import { findResource } from "./lookup.ts";

/** Deletes the resource, and returns its last state. */
export function deleteResource(call: Call): ServiceResponse {
  const { record } = findResource(call, { id: call.path.id ?? "" });
  call.project.change((draft) => draft.remove(record.id), call.author);
  call.decisions.push({ kind: "deleted", version: record.version });
  return stateResponse(200, resourceText(record));
}
