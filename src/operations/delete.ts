import type { Call } from "../call/call.ts";
import { type ServiceResponse, stateResponse } from "../call/response.ts";
import { resourceText } from "../state/record.ts";
import { findResource } from "./lookup.ts";

/** Deletes the resource, and returns its last state. */
export async function deleteResource(call: Call): Promise<ServiceResponse> {
  const id = call.path.id ?? "";
  for (;;) {
    const { record } = await findResource(call, { id });
    if ((await call.project.store.compareAndSet(id, record.version, undefined)) === "done") {
      call.decisions.push(`deleted the resource, which was at version ${record.version}`);
      return stateResponse(200, resourceText(record));
    }
  }
}
