import type { Call } from "../call/call.ts";
import { header } from "../call/request.ts";
import { declaredStatuses, successStatus } from "../contract/operation.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import { projectEnded } from "../projects/project.ts";
import { type Choice, type Chosen, createChoice, MAX_DECISION } from "../scenarios/choose.ts";
import { type Preferences, preferenceText, readPrefer } from "../scenarios/prefer.ts";
import { unknownScenario } from "../scenarios/switch-on.ts";
import type { Switch } from "../scenarios/switches.ts";
import { didYouMean } from "../text/nearest.ts";
import { cut, shown } from "../text/shown.ts";

/** An answer that the request's own Prefer header asks for. */
export interface PreferredStub {
  readonly status: number;
  /** The fixture's variant. */
  readonly example?: string;
  /** Made up, from this seed when one is given. */
  readonly dynamic?: { readonly seed: string | undefined };
}

/** What happens to a call beside, or instead of, being handled. */
export interface CallEffects extends Chosen {
  readonly preferred?: PreferredStub;
  /** The preferences that were honoured, as `Preference-Applied` says them. */
  readonly applied?: string;
  /** The same as a decision. */
  readonly decision?: string;
}

/** Nothing: what happens to nearly every call. */
export const noEffects: CallEffects = Object.freeze({});

/**
 * What the Prefer header and the scenarios and rules that are on do to one call, in the order of DESIGN section 5:
 * Prefer, rules of the project, scenarios on in the project, scenarios on for all.
 */
export interface Steering {
  /** Changes the call's settings; before anything is decided by them. */
  changeSettings(): void;
  /** Chooses all else, for a call that has been let in: from here on rules are used up. */
  chooseEffects(): CallEffects;
}

/** Whether anything may change what happens to the call. */
export function isSteered({ engine, project, request }: Call): boolean {
  const { switches } = project;
  return switches.active.length > 0 || engine.switches.active.length > 0 || header(request, "prefer") !== undefined;
}

/**
 * Returns the call's steering. Throws InvalidField for a preference that cannot be met, and ServiceUnavailable when the
 * project was reset or closed meanwhile.
 */
export async function steeringOf(call: Call): Promise<Steering> {
  const { engine, project, request } = call;
  const prefer = header(request, "prefer");
  const active = [...project.switches.active, ...engine.switches.active];
  const isOff = active.length === 0;
  const preferences = readPrefer(prefer ?? "");
  const preferred = stubIn(call, preferences);
  const scenario = preferredScenario(call, preferences);
  const choice = isOff && !scenario ? undefined : await choiceFor(call, scenario ? [scenario, ...active] : active);
  if (project.hasEnded) throw projectEnded(project);
  return {
    changeSettings() {
      const change = choice?.settings();
      if (change) call.settings = { ...call.settings, ...change };
    },
    chooseEffects() {
      const chosen = choice?.effects(preferred ? ["ending"] : []);
      const applied = appliedText(preferences, preferred, scenario && choice?.hasUsed(scenario));
      const decision = applied === undefined ? undefined : cut(`Prefer honoured: ${applied}`, MAX_DECISION);
      if (decision !== undefined) call.decisions.push(decision);
      return { ...chosen, preferred, applied, decision };
    },
  };
}

function choiceFor(call: Call, active: readonly Switch[]): Promise<Choice> {
  const { project, operation, request, path: pathParameters, bytes: requestBody, json, decisions } = call;
  const { method, path, query, headers } = request;
  return createChoice({
    operationId: operation.id,
    request: { operationId: operation.id, method, path, pathParameters, query, headers, requestBody, json },
    active,
    counts: project.switches,
    random: project.random,
    decide: (decision) => decisions.push(decision),
  });
}

/** The preferred scenario, on for this call alone: what it counts begins anew with each. */
function preferredScenario({ engine }: Call, { scenario: name }: Preferences): Switch | undefined {
  if (name === undefined) return undefined;
  const scenario = engine.scenarios.get(name);
  if (!scenario) throw unmet(unknownScenario(name, engine.scenarios));
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
  const status = declared.find((each) => String(each) === code);
  if (status !== undefined) return status;
  throw unmet(`${operation.id} declares the statuses ${declared.join(", ")}, found code=${code.slice(0, 20)}`);
}

/** The status of the variant: the one that is asked for too, else the lowest that has such a variant. */
function statusOfExample({ engine, operation }: Call, example: string, asked: number | undefined): number {
  const statuses = asked === undefined ? declaredStatuses(operation) : [asked];
  const found = statuses.find((status) => engine.fixtures.get(operation.id, status, example));
  if (found !== undefined) return found;
  const known = statuses.flatMap((status) => engine.fixtures.examples(operation.id, status));
  const response = asked === undefined ? operation.id : `${operation.id} ${asked}`;
  const examples = known.length > 0 ? `the examples ${known.join(", ")}` : "no examples";
  throw unmet(`${response} has ${examples}, found ${shown(example)}.${didYouMean(example, known)}`);
}

function isTrue(dynamic: string | undefined): boolean {
  if (dynamic === undefined || dynamic === "false") return false;
  // RFC 7240: an empty value is none, and a preference without a value is asked for.
  if (dynamic === "" || dynamic === "true") return true;
  throw unmet(`dynamic: expected true or false, found ${shown(dynamic)}`);
}

function unmet(message: string): ServiceError {
  return new ServiceError(invalidField("Prefer", message));
}

function appliedText(
  { code, example, scenario, seed }: Preferences,
  preferred: PreferredStub | undefined,
  isScenarioUsed: boolean | undefined,
): string | undefined {
  const applied: string[] = [];
  if (code !== undefined) applied.push(preferenceText("code", code));
  if (example !== undefined) applied.push(preferenceText("example", example));
  if (preferred?.dynamic) applied.push("dynamic=true");
  if (preferred?.dynamic && seed !== undefined) applied.push(preferenceText("seed", seed));
  if (scenario !== undefined && isScenarioUsed) applied.push(preferenceText("scenario", scenario));
  return applied.length > 0 ? applied.join(", ") : undefined;
}
