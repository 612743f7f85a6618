import {
  declaredStatuses,
  didYouMean,
  invalidField,
  responseFor,
  ServiceError,
  shown,
  successStatus,
} from "../contract/index.ts";
import type { Project } from "../project/index.ts";
import {
  type ActiveItem,
  type AllUses,
  type Choice,
  type ChoiceInput,
  createChoice,
  type Preferences,
  preferenceText,
  readPrefer,
  unknownScenario,
  usesOf,
} from "../rules/index.ts";
import type { Call } from "./call/call.ts";
import type { ChosenEffects, PreferredStub } from "./call/chosen-effects.ts";
import { header } from "./call/service-request.ts";

/** Returns whether the call has a Prefer header, or any rule or scenario is active. */
export function isSteered({ engine, project, request, endpoint }: Call): boolean {
  const { activeRules } = project;
  return (
    activeRules.active.length > 0 ||
    engine.activeForAll.activeRules.active.length > 0 ||
    engine.sweep?.failure !== undefined ||
    (!endpoint && header(request, "prefer") !== undefined)
  );
}

/**
 * Returns the effects of the Prefer header and of active rules and scenarios on one call. Precedence, highest first: Prefer,
 * rules of the project, active scenarios of the project, scenarios active for all projects. Throws InvalidField for an
 * invalid preference.
 */
export function steeringOf(call: Call) {
  const { engine, project, request } = call;
  // The preferences select fixtures, which the token endpoint does not have.
  const prefer = call.endpoint ? undefined : header(request, "prefer");
  // The failure of a sweep comes last, so that it meets a request that the test itself does not let fail.
  const { failure } = engine.sweep ?? {};
  const active = [project.activeRules.active, engine.activeForAll.activeRules.active, failure ?? []].flat();
  const preferences = readPrefer(prefer ?? "");
  const preferred = stubIn(call, preferences);
  const scenario = preferredScenario(call, preferences);
  const choice = active.length === 0 && !scenario ? undefined : choiceFor(call, active, scenario);
  return {
    /** Overrides the call's settings. Called before authorization and validation, which depend on the settings. */
    changeSettings() {
      const change = choice?.settings();
      if (change) call.settings = { ...call.settings, ...change };
    },
    /** Chooses all other effects and counts the uses of rules. Called only for authorized, valid requests. */
    chooseEffects(): ChosenEffects {
      const chosen = choice?.effects(preferred !== undefined) ?? [];
      const applied = appliedText(preferences, preferred, scenario && choice?.hasTakenEffect(scenario));
      if (applied !== undefined) {
        call.decisions.push({ kind: "prefer", applied, ...(preferred && { responds: true }) });
      }
      return { chosen, passOn: choice?.passOn, preferred, applied };
    },
  };
}

function choiceFor(call: Call, active: readonly ActiveItem[], preferred: ActiveItem | undefined): Choice {
  const { project, operation, request, path: pathParameters, bytes: requestBody, json, decisions } = call;
  const { method, path, query, headers } = request;
  return createChoice({
    operationId: operation.id,
    request: { operationId: operation.id, method, path, pathParameters, query, headers, requestBody, json },
    active: preferred ? [preferred, ...active] : active,
    counts: countsIn(project, preferred),
    random: () => project.random(),
    decide: (decision) => decisions.push(decision),
    // A scenario from the Prefer header ends with the call.
    onUsedUp(item) {
      const { kind, name } = item;
      if (kind === "rule") project.publish("rules", { change: "used-up", rule: name });
      else if (item !== preferred) project.publish("scenarios", { change: "used-up", scenario: name, on: true });
    },
  });
}

/** Returns the uses in the project. A scenario from the Prefer header is counted only for its call. */
function countsIn(project: Project, preferred: ActiveItem | undefined): ChoiceInput["counts"] {
  let own: AllUses = new Map();
  return {
    usesOf: (item) => usesOf(item === preferred ? own : project.uses, item),
    setUses(item, uses) {
      if (item === preferred) own = new Map([[item, uses]]);
      else project.setUses(item, uses);
    },
  };
}

/** Returns the scenario in the Prefer header, active for this call only. Its counters start at 0 for each call. */
function preferredScenario({ engine }: Call, { scenario: name }: Preferences): ActiveItem | undefined {
  if (name === undefined) return undefined;
  const scenario = engine.scenarios.get(name);
  if (!scenario) throw invalidPreference(unknownScenario(name, engine.scenarios));
  return { kind: "scenario", name, rules: () => scenario.rules };
}

function stubIn(call: Call, preferences: Preferences): PreferredStub | undefined {
  const { code, example, seed } = preferences;
  const dynamic = isTrue(preferences.dynamic);
  if (code === undefined && example === undefined && !dynamic) return undefined;
  const status = code === undefined ? undefined : declaredStatus(call, code);
  if (example !== undefined) return { status: statusOfExample(call, example, status), example };
  return { status: status ?? successStatus(call.operation), ...(dynamic && { dynamic: { seed } }) };
}

function declaredStatus({ operation }: Call, code: string): number {
  const declared = declaredStatuses(operation);
  const status = /^[2-5]\d\d$/.test(code) ? Number(code) : undefined;
  if (status !== undefined && responseFor(operation, status)) return status;
  const expected = `a status of ${operation.id} (${declared.join(", ")})`;
  throw invalidPreference(`code: expected ${expected}, found ${code.slice(0, 20)}`);
}

/** Returns the requested status, or else the lowest status with this variant. Throws InvalidField if none has it. */
function statusOfExample({ engine, operation }: Call, example: string, requested: number | undefined): number {
  const statuses = requested === undefined ? declaredStatuses(operation) : [requested];
  const named = (status: number) => [
    ...engine.fixtures.examples(operation.id, status),
    ...Object.keys(responseFor(operation, status)?.examples ?? {}),
  ];
  const found = statuses.find((status) => named(status).includes(example));
  if (found !== undefined) return found;
  const known = statuses.flatMap(named);
  const response = requested === undefined ? operation.id : `${operation.id} ${requested}`;
  const examples = known.length > 0 ? `one of ${known.join(", ")}` : "none";
  const hint = didYouMean(example, known);
  throw invalidPreference(`example: expected ${examples} for ${response}, found ${shown(example)}.${hint}`);
}

function isTrue(dynamic: string | undefined): boolean {
  if (dynamic === undefined || dynamic === "false") return false;
  // RFC 7240, section 2: an empty value is the same as no value, and a preference without a value is set.
  if (dynamic === "" || dynamic === "true") return true;
  throw invalidPreference(`dynamic: expected true or false, found ${shown(dynamic)}`);
}

function invalidPreference(message: string): ServiceError {
  return new ServiceError(invalidField("Prefer", message));
}

function appliedText(
  { code, example, scenario, seed }: Preferences,
  preferred: PreferredStub | undefined,
  isScenarioUsed: boolean | undefined,
): string | undefined {
  const applied = {
    code,
    example,
    ...(preferred?.dynamic && { dynamic: "true", seed }),
    ...(isScenarioUsed && { scenario }),
  };
  const texts = Object.entries(applied).flatMap(([name, value]) =>
    value === undefined ? [] : preferenceText(name as keyof Preferences, value),
  );
  return texts.length > 0 ? texts.join(", ") : undefined;
}
