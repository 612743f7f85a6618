import type { Engine } from "../engine/engine.ts";
import type { Activation, Rule } from "../scenarios/scenario.ts";
import { addRule as addRuleTo, turnOnScenario, unknownScenario } from "../scenarios/switch-on.ts";
import type { ActiveScenario, Switches } from "../scenarios/switches.ts";
import { created, done, type Handler, ok, type ProjectHandler } from "./control.ts";
import { notFound } from "./problem.ts";
import type { KnownScenario } from "./schemas.ts";

export const listScenarios: Handler = ({ engine }) => {
  const on = new Map(engine.switches.scenarios().map((scenario) => [scenario.name, scenario]));
  const scenarios = Array.from(engine.scenarios.all(), ({ name, description }): KnownScenario => {
    const { times, probability } = on.get(name) ?? {};
    return { name, description, on: on.has(name), times, probability };
  });
  for (const { name, description, inline, times, probability } of on.values()) {
    if (inline && !engine.scenarios.get(name)) scenarios.push({ name, description, on: true, times, probability });
  }
  return ok({ scenarios, total: scenarios.length });
};

export const turnOnForAll: Handler = async ({ engine, path: { name = "" }, body }) =>
  ok(await switchOn(engine, undefined, name, body as Activation | undefined));

export const turnOffForAll: Handler = ({ engine, path: { name = "" } }) => {
  switchOff(engine, undefined, name);
  return done;
};

export const listActiveScenarios: ProjectHandler = ({ project }) => {
  const scenarios = project.switches.scenarios();
  return ok({ scenarios, total: scenarios.length });
};

export const turnOn: ProjectHandler = async ({ engine, project, path: { name = "" }, body }) =>
  ok(await switchOn(engine, project, name, body as Activation | undefined));

export const turnOff: ProjectHandler = ({ engine, project, path: { name = "" } }) => {
  switchOff(engine, project, name);
  return done;
};

export const listRules: ProjectHandler = ({ project }) => {
  const rules = project.switches.rules();
  return ok({ rules, total: rules.length });
};

export const addRule: ProjectHandler = async ({ engine, project, body }) => {
  const added = await addRuleTo(project.switches, body as Rule, engine);
  engine.feed.publish("scenario", project.key, { rule: added.id, on: true });
  return created(added);
};

export const clearRules: ProjectHandler = ({ engine, project }) => {
  for (const { id } of project.switches.rules()) {
    engine.feed.publish("scenario", project.key, { rule: id, on: false });
  }
  project.switches.clearRules();
  return done;
};

export const removeRule: ProjectHandler = ({ engine, project, path: { id = "" } }) => {
  if (!project.switches.removeRule(id)) throw notFound(`The project has no rule "${id.slice(0, 100)}"`);
  engine.feed.publish("scenario", project.key, { rule: id, on: false });
  return done;
};

/** What a scenario is turned on in: a project, or without one all of them. */
type Place = { readonly key: string; readonly switches: Switches } | undefined;

/** Turns a scenario on. Throws ResourceNotFound, and InvalidField for what breaks the contract. */
export async function switchOn(
  engine: Engine,
  project: Place,
  name: string,
  how: Activation = {},
): Promise<ActiveScenario> {
  const active = await turnOnScenario(project?.switches ?? engine.switches, name, how, engine);
  engine.feed.publish("scenario", project?.key, { scenario: name, on: true });
  return active;
}

/** Turns a scenario off; one that is not on already is. Throws ResourceNotFound for a name that no scenario has. */
export function switchOff(engine: Engine, project: Place, name: string): void {
  const wasOn = (project?.switches ?? engine.switches).turnOff(name);
  if (!wasOn && !engine.scenarios.get(name)) throw notFound(unknownScenario(name, engine.scenarios));
  if (wasOn) engine.feed.publish("scenario", project?.key, { scenario: name, on: false });
}
