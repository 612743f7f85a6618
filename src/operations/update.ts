import type { Call } from "../call/call.ts";
import { type ServiceResponse, stateResponse } from "../call/response.ts";
import { ServiceError } from "../contract/service-error.ts";
import { nextVersion, type ResourceRecord, resourceText } from "../state/record.ts";
import { isObject } from "../text/json.ts";
import { findResource } from "./lookup.ts";

/**
 * Applies the actions in their order, all or none, when `version` is the actual one (section 2.6 of the
 * interface); the version goes up by one for the whole request when it holds any action.
 */
export async function updateResource(call: Call): Promise<ServiceResponse> {
  const id = call.path.id ?? "";
  const { version, actions } = readUpdate(call);
  for (;;) {
    const { record } = await findResource(call, { id });
    // Without a version (let pass by the settings) there is nothing to compare with.
    if (version !== undefined && version !== record.version) throw concurrentModification(version, record.version);
    if (actions.length === 0) {
      call.decisions.push(`no actions: the resource stays at version ${record.version}`);
      return stateResponse(200, resourceText(record));
    }
    const next: ResourceRecord = {
      ...record,
      version: nextVersion(record),
      lastModifiedAt: call.project.clock.timestamp(),
      ...resultOf(actions),
    };
    if ((await call.project.store.compareAndSet(id, record.version, next)) === "done") {
      call.applied = [...new Set(actions.map(({ action }) => action as string))];
      call.decisions.push(`the resource is at version ${next.version} now`);
      return stateResponse(200, resourceText(next));
    }
  }
}

type Action = { [field: string]: unknown };

/** What the body asks for. Validation may have let a wrong one pass (`report`, `off`): then what can be used of it. */
function readUpdate(call: Call): { version: number | undefined; actions: Action[] } {
  const body = isObject(call.json?.value) ? call.json.value : {};
  const isKnown = (action: unknown) =>
    isObject(action) && call.operation.actions?.some((name) => name === action.action);
  return {
    version: typeof body.version === "number" ? body.version : undefined,
    actions: Array.isArray(body.actions) ? body.actions.filter(isKnown) : [],
  };
}

/** Returns what the actions set, in their order: `changeSomeProperty` its value, `doSomeThing` nothing visible. */
function resultOf(actions: readonly Action[]): { someProperty?: unknown } {
  const last = actions.findLast((each) => each.action === "changeSomeProperty" && each.someProperty !== undefined);
  return last ? { someProperty: last.someProperty } : {};
}

/** The 409 of section 7 of the interface. */
function concurrentModification(sent: number, actual: number): ServiceError {
  return new ServiceError({
    code: "ConcurrentModification",
    message: `Version mismatch: expected ${sent}, actual ${actual}. Read the resource again and retry with its version.`,
    field: "/version",
    currentVersion: actual,
  });
}
