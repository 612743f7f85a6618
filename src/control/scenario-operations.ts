import type { Engine } from "../engine/index.ts";
import type { PublishedEvents } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import {
  Activation,
  ActiveScenario,
  AddedRule,
  activateScenario,
  addRule,
  checkRule,
  Rule,
  shownRule,
  shownScenarios,
  unknownScenario,
} from "../rules/index.ts";
import { created, list, notFound, ok } from "./control-response.ts";
import { DefinedScenario, KnownScenario, MatchedRequests } from "./control-schemas.ts";
import { type ExampleOf, inProject, json, listOf, onServer, operationThat, problem } from "./define-operation.ts";

const pathParameters = { name: { description: "The name of the scenario.", example: "conflict" } };
const unknown = problem("The scenario does not exist.");
const limitReached = problem("The rules reached a limit in number or size. docs/limits.md lists them.");

const activation = { pathParameters, body: Activation, example: { times: 2 }, bodyIsOptional: true } as const;

const respond = { status: 503 };
const example: ExampleOf = (contract) => ({ operation: operationThat("read", contract), respond, times: 1 });

export const operations = {
  listScenarios: onServer("GET", "/scenarios", {
    summary: "List all scenarios, and show which are active for all projects",
    responses: { 200: json("The scenarios.", listOf("scenarios", KnownScenario)) },
    handle({ engine }) {
      const scenarios = Array.from(definedScenarios(engine).values(), ({ rules: _rules, ...known }) => known);
      return list("scenarios", scenarios);
    },
  }),

  getScenario: onServer("GET", "/scenarios/{name}", {
    summary: "Return a scenario with its rules",
    pathParameters,
    responses: { 200: json("The scenario.", DefinedScenario), 404: unknown },
    handle({ engine, path: { name } }) {
      const scenario = definedScenarios(engine).get(name);
      if (!scenario) throw notFound(unknownScenario(name, engine.scenarios));
      return ok(scenario);
    },
  }),

  turnOnForAll: onServer("PUT", "/scenarios/{name}", {
    summary: "Activate a scenario for all projects",
    ...activation,
    responses: { 200: json("The active scenario.", ActiveScenario), 404: unknown, 409: limitReached },
    handle: async ({ engine, path, body }) => ok(await activateIn(engine, undefined, path.name, body)),
  }),

  turnOffForAll: onServer("DELETE", "/scenarios/{name}", {
    summary: "Deactivate a scenario for all projects",
    pathParameters,
    responses: { 404: unknown },
    handle: ({ engine, path }) => deactivateIn(engine, undefined, path.name),
  }),

  listActiveScenarios: inProject("GET", "/scenarios", {
    summary: "List the active scenarios of the project, newest first",
    query: {
      forAll: {
        type: "boolean",
        description: "true: the list ends with the scenarios that are active for all projects.",
      },
    },
    responses: { 200: json("The scenarios.", listOf("scenarios", ActiveScenario)) },
    handle({ project: { activeRules, activeForAll, uses }, query: { forAll } }) {
      const shared = forAll ? shownScenarios(activeForAll.scenarios, uses) : [];
      const own = shownScenarios(activeRules.scenarios, uses);
      return list("scenarios", [...own, ...shared.map((each) => ({ ...each, forAll: true }))]);
    },
  }),

  turnOn: inProject("PUT", "/scenarios/{name}", {
    summary: "Activate a scenario in the project",
    ...activation,
    responses: { 200: json("The active scenario.", ActiveScenario), 409: limitReached },
    handle: async ({ engine, project, path, body }) => ok(await activateIn(engine, project, path.name, body)),
  }),

  turnOff: inProject("DELETE", "/scenarios/{name}", {
    summary: "Deactivate a scenario in the project",
    pathParameters,
    handle: ({ engine, project, path }) => deactivateIn(engine, project, path.name),
  }),

  listRules: inProject("GET", "/rules", {
    summary: "List the rules of the project, newest first",
    responses: { 200: json("The rules.", listOf("rules", AddedRule)) },
    handle({ project: { activeRules, uses } }) {
      const rules = activeRules.rules.toReversed().map((item) => shownRule(item, uses));
      return list("rules", rules);
    },
  }),

  addRule: inProject("POST", "/rules", {
    summary: "Add a rule to the project",
    body: Rule,
    example,
    responses: { 201: json("The added rule.", AddedRule), 409: limitReached },
    async handle({ engine, project, body }) {
      const added = await addRule(project, body, engine);
      project.publish("rules", { change: "added", rule: added.id });
      return created(added);
    },
  }),

  checkRule: inProject("POST", "/rules/check", {
    summary: "Check a rule, and find the recorded requests that it would apply to",
    description: "Adds nothing.",
    body: Rule,
    example,
    responses: { 200: json("The rule is valid. The number of the recorded requests that match.", MatchedRequests) },
    async handle(call) {
      const { operation, when } = call.body;
      await checkRule(call.project, call.body, call.engine);
      // Tests add rules without this check, so they do not load the verification.
      const { matchedBy } = await import("./verify-requests.ts");
      return ok(await matchedBy({ ...when, ...(operation !== "*" && { operation }) }, call));
    },
  }),

  clearRules: inProject("DELETE", "/rules", {
    summary: "Remove all rules from the project",
    handle({ project }) {
      project.activeRules = project.activeRules.withoutRules();
      project.publish("rules", { change: "cleared" });
    },
  }),

  removeRule: inProject("DELETE", "/rules/{id}", {
    summary: "Remove a rule from the project",
    pathParameters: { id: { description: "The id of the rule.", example: "r-1" } },
    handle({ project, path: { id } }) {
      const activeRules = project.activeRules.remove("rule", id);
      if (activeRules === project.activeRules) throw notFound(`Rule "${id.slice(0, 100)}" not found in the project`);
      project.activeRules = activeRules;
      project.publish("rules", { change: "removed", rule: id });
    },
  }),
};

/** The project of an active scenario; undefined for all projects. */
type ActiveIn = Project | undefined;

/** Activates a scenario. Throws ResourceNotFound for an unknown name, and InvalidField for an invalid activation. */
export async function activateIn(engine: Engine, project: ActiveIn, name: string, how: Activation) {
  const active = await activateScenario(project ?? engine.activeForAll, name, how, engine);
  publishScenario(engine, project, { change: "activated", scenario: name, on: true });
  return active;
}

/** Deactivates a scenario. Does nothing for an inactive scenario. Throws ResourceNotFound for an unknown name. */
export function deactivateIn(engine: Engine, project: ActiveIn, name: string): void {
  const holder = project ?? engine.activeForAll;
  const activeRules = holder.activeRules.deactivate(name, engine.now());
  const wasActive = activeRules !== holder.activeRules;
  if (!wasActive && !engine.scenarios.get(name)) throw notFound(unknownScenario(name, engine.scenarios));
  if (!wasActive) return;
  holder.activeRules = activeRules;
  publishScenario(engine, project, { change: "deactivated", scenario: name, on: false });
}

/** Returns the scenarios of the files, and the inline ones that are active for all projects, by name. */
function definedScenarios({ scenarios, activeForAll: { activeRules, uses } }: Engine): Map<string, DefinedScenario> {
  const defined = new Map<string, DefinedScenario>();
  for (const { name, description, rules } of scenarios.values()) {
    defined.set(name, { name, description, on: false, inline: false, rules: rules.map(({ source }) => source) });
  }
  for (const { used: _used, ...scenario } of shownScenarios(activeRules.scenarios, uses)) {
    const { name, description = defined.get(name)?.description } = scenario;
    defined.set(name, { ...scenario, description, on: true });
  }
  return defined;
}

function publishScenario({ feed }: Engine, project: ActiveIn, data: PublishedEvents["scenarios"]): void {
  if (project) project.publish("scenarios", data);
  else feed.publish("scenarios", undefined, data);
}
