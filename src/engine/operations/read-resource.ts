import type { ServiceResponse } from "../../rules/index.ts";
import { resourceText } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";
import { findResource, type IdOrKey } from "./lookup.ts";

export function getResourceById(call: Call): ServiceResponse {
  return read(call, { id: call.path.id ?? "" });
}

export function getResourceByKey(call: Call): ServiceResponse {
  return read(call, { key: call.path.key ?? "" });
}

function read(call: Call, idOrKey: IdOrKey): ServiceResponse {
  const { record, createdFrom } = findResource(call, idOrKey);
  const response = stateResponse(200, resourceText(record));
  return createdFrom === undefined ? response : { ...response, source: `fixture:${createdFrom}` };
}
