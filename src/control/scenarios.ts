import type { Engine } from "../engine/engine.ts";
import { Activation, Rule } from "../scenarios/scenario.ts";
import { addRule, turnOnScenario, unknownScenario } from "../scenarios/switch-on.ts";
import type { ActiveScenario as Active, Switches } from "../scenarios/switches.ts";
import { inProject, json, listOf, nothing, onServer, problem } from "./operation.ts";
import { notFound } from "./problem.ts";
import { created, done, listed, ok } from "./response.ts";
import { ActiveScenario, AddedRule, KnownScenario } from "./schemas.ts";

const pathParameters = { name: { description: "The scenario's name.", example: "conflict" } };
const unknown = problem("There is no such scenario.");
const limitReached = problem("Too many rules, or too large ones; docs/reliability.md lists the limits.");

export const scenarioOperations = {
  listScenarios: onServer("GET", "/scenarios", {
    summary: "The scenarios there are, and which are on for all projects",
    responses: { 200: json("The scenarios.", listOf("scenarios", KnownScenario)) },
    handle({ engine }) {
      const on = new Map(engine.switches.scenarios().map((scenario) => [scenario.name, scenario]));
      const scenarios = Array.from(engine.scenarios.values(), ({ name, description }): KnownScenario => {
        const { times, probability } = on.get(name) ?? {};
        return { name, description, on: on.has(name), times, probability };
      });
      for (const { name, description, inline, times, probability } of on.values()) {
        if (inline && !engine.scenarios.get(name)) scenarios.push({ name, description, on: true, times, probability });
      }
      return ok(listed("scenarios", scenarios));
    },
  }),

  turnOnForAll: onServer("PUT", "/scenarios/{name}", {
    summary: "Turn a scenario on for all projects",
    pathParameters,
    body: Activation,
    bodyIsOptional: true,
    responses: { 200: json("The scenario, as it is on.", ActiveScenario), 404: unknown, 409: limitReached },
    handle: async ({ engine, path, body }) => ok(await switchOn(engine, undefined, path.name, body)),
  }),

  turnOffForAll: onServer("DELETE", "/scenarios/{name}", {
    summary: "Turn a scenario off for all projects",
    pathParameters,
    responses: { 204: nothing, 404: unknown },
    handle({ engine, path }) {
      switchOff(engine, undefined, path.name);
      return done;
    },
  }),

  listActiveScenarios: inProject("GET", "/scenarios", {
    summary: "The scenarios that are on in the project, newest first",
    responses: { 200: json("The scenarios.", listOf("scenarios", ActiveScenario)) },
    handle: ({ project }) => ok(listed("scenarios", project.switches.scenarios())),
  }),

  turnOn: inProject("PUT", "/scenarios/{name}", {
    summary: "Turn a scenario on in the project",
    pathParameters,
    body: Activation,
    bodyIsOptional: true,
    responses: { 200: json("The scenario, as it is on.", ActiveScenario), 409: limitReached },
    handle: async ({ engine, project, path, body }) => ok(await switchOn(engine, project, path.name, body)),
  }),

  turnOff: inProject("DELETE", "/scenarios/{name}", {
    summary: "Turn a scenario off in the project",
    pathParameters,
    responses: { 204: nothing },
    handle({ engine, project, path }) {
      switchOff(engine, project, path.name);
      return done;
    },
  }),

  listRules: inProject("GET", "/rules", {
    summary: "The rules that were added to the project, newest first",
    responses: { 200: json("The rules.", listOf("rules", AddedRule)) },
    handle: ({ project }) => ok(listed("rules", project.switches.rules())),
  }),

  addRule: inProject("POST", "/rules", {
    summary: "Add a rule to the project",
    body: Rule,
    responses: { 201: json("The rule.", AddedRule), 409: limitReached },
    async handle({ engine, project, body }) {
      const added = await addRule(project.switches, body, engine);
      engine.feed.publish("scenario", project.key, { rule: added.id, on: true });
      return created(added);
    },
  }),

  clearRules: inProject("DELETE", "/rules", {
    summary: "Remove all rules from the project",
    responses: { 204: nothing },
    handle({ engine, project }) {
      for (const { id } of project.switches.rules()) {
        engine.feed.publish("scenario", project.key, { rule: id, on: false });
      }
      project.switches.clearRules();
      return done;
    },
  }),

  removeRule: inProject("DELETE", "/rules/{id}", {
    summary: "Remove a rule from the project",
    pathParameters: { id: { description: "The rule's id.", example: "r-1" } },
    responses: { 204: nothing },
    handle({ engine, project, path: { id } }) {
      if (!project.switches.removeRule(id)) throw notFound(`The project has no rule "${id.slice(0, 100)}"`);
      engine.feed.publish("scenario", project.key, { rule: id, on: false });
      return done;
    },
  }),
};

/** What a scenario is turned on in: a project, or without one all of them. */
type ActiveIn = { readonly key: string; readonly switches: Switches } | undefined;

/** Turns a scenario on. Throws ResourceNotFound, and InvalidField for what breaks the contract. */
export async function switchOn(engine: Engine, project: ActiveIn, name: string, how: Activation): Promise<Active> {
  const active = await turnOnScenario(project?.switches ?? engine.switches, name, how, engine);
  engine.feed.publish("scenario", project?.key, { scenario: name, on: true });
  return active;
}

/** Turns a scenario off; one that is not on already is. Throws ResourceNotFound for a name that no scenario has. */
export function switchOff(engine: Engine, project: ActiveIn, name: string): void {
  const wasOn = (project?.switches ?? engine.switches).turnOff(name);
  if (!wasOn && !engine.scenarios.get(name)) throw notFound(unknownScenario(name, engine.scenarios));
  if (wasOn) engine.feed.publish("scenario", project?.key, { scenario: name, on: false });
}
