import type { TokenRegistry } from "../auth/tokens.ts";
import type { Contract, ServiceOperation } from "../contract/contract.ts";
import type { QueryValues } from "../contract/parameters.ts";
import { type ErrorDetail, MAX_ERROR_DETAILS, ServiceError } from "../contract/service-error.ts";
import type { Fixture, FixtureSet } from "../fixtures/fixture-set.ts";
import type { Project } from "../projects/project.ts";
import type { ScenarioSet } from "../scenarios/compile.ts";
import type { Switches } from "../scenarios/switches.ts";
import type { Settings } from "../settings/settings.ts";
import type { JsonRefusal } from "../text/json-reader.ts";
import type { ServiceRequest } from "./request.ts";
import type { Wait } from "./wait.ts";

/** What of the engine a call uses; it stays the same for all calls. */
export interface CallEngine {
  readonly contract: Contract;
  readonly fixtures: FixtureSet;
  readonly scenarios: ScenarioSet;
  /** The scenarios that are on for all projects. */
  readonly switches: Switches;
  readonly tokens: TokenRegistry;
  /** Milliseconds since 1970, by the server's clock. */
  readonly now: () => number;
  /** Waits for a latency. */
  readonly wait: Wait;
  /** Aborts when the engine is about to stop. */
  readonly stopping: AbortSignal;
}

/** One request on its way through the pipeline, with what has been found out about it so far. */
export interface Call {
  readonly engine: CallEngine;
  readonly project: Project;
  readonly operation: ServiceOperation;
  readonly request: ServiceRequest;
  /** The path's parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The project's settings, as the rules for this request change them. */
  settings: Settings;
  query: QueryValues;
  /** Query parameters that the interface does not name. */
  unnamed: readonly string[];
  /** The body as sent; empty when there is none or the operation takes none. */
  bytes: Uint8Array;
  /** The JSON in the body, where the operation takes JSON and there is any. */
  json: { readonly value: unknown } | undefined;
  /** Why the body that should be JSON could not be read. */
  refusal?: JsonRefusal;
  /** The client that the token was issued to, where known. */
  clientId: string | undefined;
  /** The names of the update actions that have been applied, each once. */
  applied: readonly string[];
  /** Why the answer is what it is, in order; kept in the journal. */
  readonly decisions: string[];
  /** Where the request breaks the contract (settings `enforce` and `report`), the first places. */
  readonly violations: ErrorDetail[];
}

/**
 * Says that the request breaks the contract: with `validation: enforce` this throws, with `report` it is journaled and
 * the call goes on, with `off` nothing happens.
 */
export function violate(call: Call, details: readonly ErrorDetail[]): void {
  const { validation } = call.settings;
  if (details.length === 0 || validation === "off") return;
  const error = new ServiceError([...details]);
  // As few as an error has: one request must not fill the journal with all that is wrong with it.
  call.violations.push(...error.details.slice(0, MAX_ERROR_DETAILS - call.violations.length));
  if (validation === "enforce") throw error;
}

/** Runs what may find the request to break the contract; where that is let pass, answers `otherwise`. */
export function attempt<T>(call: Call, run: () => T, otherwise: T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    violate(call, error.details);
    return otherwise;
  }
}

/** Returns the operation's fixture for the status, which every set has as the shipped ones are part of it. */
export function fixtureOf(call: Call, status: number, { id } = call.operation): Fixture {
  const fixture = call.engine.fixtures.get(id, status);
  if (!fixture) throw new Error(`there is no fixture ${id}/${status}.json`);
  return fixture;
}
