import {
  didYouMean,
  join,
  MAX_ADDED,
  type ObjectTestType,
  object,
  ServiceError,
  shown,
  unknownName,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Project, projectEnded, projectKeyProblem, shortHash } from "../project/index.ts";
import { Activation, Rule } from "../rules/index.ts";
import { RecordDraft, resourceByKey, type StateDraft } from "../state/index.ts";
import { validated } from "./control-body.ts";
import { invalid, notFound, ok } from "./control-response.ts";
import { ProviderState, ProviderStateValues, TokenRequest } from "./control-schemas.ts";
import { insufficientStorage, json, onServer, problem, projectGone } from "./define-operation.ts";
import { removeRecord, writeRecord } from "./resource-operations.ts";
import { activateIn, deactivateIn } from "./scenario-operations.ts";
import { issueTokenIn } from "./token-operations.ts";

type Params = NonNullable<ProviderState["params"]> & { readonly [name: string]: unknown };
/** Values that a verifier can insert into its requests and expectations. */
type Values = Record<string, unknown>;

/** A provider state about stored resources, as opposed to a scenario. It applies to the project in `params`. */
interface BuiltInState {
  /** The allowed params in addition to the project; undefined allows any. */
  params?: readonly string[];
  setUp(engine: Engine, project: Project, params: Params): Promise<Values>;
  tearDown(engine: Engine, project: Project, params: Params): Promise<void>;
}

const builtIn: Readonly<Record<string, BuiltInState>> = {
  "a resource exists": {
    async setUp(engine, project, { project: _project, projectKey: _projectKey, ...given }) {
      const reader = engine.contract.readerBy("id");
      const content = reader && (engine.fixtures.get(reader.id, 200)?.value as ObjectTestType | undefined);
      const values = { objectTypeProperty: content?.objectTypeProperty ?? {}, ...given };
      const draft = await validated(RecordDraft, values, "/params");
      const record = project.change((state) => {
        const holder = draft.key === undefined ? undefined : resourceByKey(state.state, draft.key);
        const id = draft.id ?? holder?.id ?? project.newId(state);
        // A resource of an earlier provider state may have the same key.
        if (holder && holder.id !== id) state.remove(holder.id);
        return writeRecord(project, state, { version: 1, ...draft, id }).record;
      });
      return { id: record.id, key: record.key, version: record.version };
    },
    async tearDown(_engine, project, params) {
      project.change((state) => remove(state, params));
    },
  },

  "resources exist": {
    params: ["count", "resource"],
    async setUp(_engine, project, params) {
      const copies = await copiesOf(params);
      project.change((state) => {
        for (const copy of copies) writeRecord(project, state, copy);
      });
      return {};
    },
    async tearDown(_engine, project, params) {
      const copies = await copiesOf(params);
      project.change((state) => {
        for (const { id } of copies) removeRecord(state, id);
      });
    },
  },

  "no resource exists": {
    params: ["id", "key"],
    async setUp(_engine, project, params) {
      const names = namesOf(params);
      if (names.id === undefined && names.key === undefined) await removeAll(project);
      else project.change((state) => exclude(project, state, names));
      return {};
    },
    async tearDown() {},
  },

  "a namespace action body exists": {
    params: ["body"],
    async setUp(_engine, project, { body = null }) {
      project.change((state) => state.setAction({ body }));
      return {};
    },
    async tearDown(_engine, project) {
      project.change((state) => state.setAction(undefined));
    },
  },

  "a token exists": {
    params: ["scopes", "expiresIn", "clientId"],
    async setUp(engine, project, { project: _project, projectKey: _projectKey, ...given }) {
      const request = await validated(TokenRequest, given, "/params");
      return { accessToken: issueTokenIn(engine, project, request).access_token };
    },
    async tearDown() {},
  },

  "a token is required": {
    params: [],
    async setUp(engine, project) {
      await useRule(engine, project, { settings: { auth: "strict" } });
      return {};
    },
    tearDown: async (engine, project) => removeRule(engine, project),
  },

  "a rule responds": {
    params: ["operation", "status", "fixture", "body", "headers"],
    async setUp(engine, project, { project: _project, projectKey: _projectKey, operation, ...respond }) {
      try {
        await useRule(engine, project, await validated(Rule, { operation, respond }, "/params"));
      } catch (error) {
        throw error instanceof ServiceError ? atParams(error) : error;
      }
      return {};
    },
    tearDown: async (engine, project) => removeRule(engine, project),
  },
};

const Copies = object(["count", "resource"], {
  count: { type: "integer", minimum: 1, maximum: MAX_ADDED },
  resource: RecordDraft,
});

/** Returns the resources of the state `resources exist`, with ids that are the same for each setup. */
async function copiesOf({ count, resource }: Params): Promise<(RecordDraft & { id: string })[]> {
  const copies = await validated(Copies, { count, resource }, "/params");
  const prefix = `pact-${shortHash(JSON.stringify(resource))}`;
  return Array.from({ length: copies.count }, (_, index) => ({
    version: 1,
    ...copies.resource,
    id: `${prefix}-${index}`,
  }));
}

/** The name of the inline scenario with the rule of a provider state. */
const RULE_OF_STATE = "provider-state";

/** Lets a rule take effect on the next request. It replaces the rule of an earlier provider state. */
async function useRule(engine: Engine, project: Project, rule: Rule): Promise<void> {
  await activateIn(engine, project, RULE_OF_STATE, { rules: [rule], times: 1 });
}

/** Returns the error of a rule with the locations of its members in the params. */
function atParams({ details, headers }: ServiceError): ServiceError {
  const located = details.map(({ field, message, ...detail }) => ({
    ...detail,
    message: inParams(message),
    ...(field !== undefined && { field: inParams(field) }),
  }));
  return new ServiceError(located, headers);
}

/** Returns a text that starts with the location of a member of a rule, with its location in the params. */
function inParams(text: string): string {
  return text.replace(/^\/(params|rules\/0)(\/respond)?/, "/params");
}

function removeRule(engine: Engine, project: Project): void {
  if (project.activeRules.scenarios.some(({ name }) => name === RULE_OF_STATE)) {
    deactivateIn(engine, project, RULE_OF_STATE);
  }
}

const projectParams = ["project", "projectKey"] as const;
const scenarioParams = ["times", "probability"] as const;

export const operations = {
  setProviderState: onServer("POST", "/provider-states", {
    projectsIn: namedProjects,
    summary: "Set up or tear down a provider state for the verifier of Pact",
    description:
      "A state is the name of a scenario or a built-in state. `a resource exists`, `resources exist` and `no resource exists` change the stored resources. `a namespace action body exists` stores the `body` that readNamespaceAction returns. `a token exists` returns an `accessToken` with the `scopes`; `a token is required` rejects the next request without a token. `a rule responds` returns this `status`, `body` and these `headers` to the next request of the `operation`. An empty state does nothing. Setup activates the scenario in the `project` (or `projectKey`) of `params`, with its `times` and `probability`; without a project, for all projects. Teardown deactivates the scenario. `a resource exists` creates or replaces a resource; `params` contains its id, key and further fields. Setup also removes another resource with this key. Teardown removes the created resource if `params` contains its id or key. `resources exist` creates `count` copies of the `resource`, and teardown removes them. `no resource exists` removes the resources with the id and the key in `params`; without both, it removes all resources and keeps the rest of the state. Removed resources return 404 and are not created from the fixture again.",
    body: ProviderState,
    example: { state: "a resource exists", params: { project: "my-project", id: "42" } },
    responses: {
      200: json("Values of the state, for the generators of the pact.", ProviderStateValues),
      404: problem("The provider state does not exist."),
      409: problem("The rules reached a limit, or another call took the key in the meantime."),
      503: projectGone,
      507: insufficientStorage,
    },
    async handle({ engine, body }) {
      checkMembers(body);
      const { state, states, action = "setup" } = body;
      const params: Params = body.params ?? {};
      // For an interaction without a state, verifiers send an empty state.
      const names = new Set([state ?? "", ...(states ?? [])].filter((name) => name !== ""));
      for (const name of names) {
        if (!builtInState(name) && !engine.scenarios.get(name)) throw notFound(unknownState(engine, name));
      }
      checkParams([...names], params);
      const values: Values = {};
      for (const name of names) {
        const change = builtInState(name) ? changeBuiltIn : changeScenario;
        Object.assign(values, await change(engine, name, action, params));
      }
      return ok(values);
    },
  }),
};

function builtInState(name: string): BuiltInState | undefined {
  return Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
}

/**
 * Throws InvalidField for a member that is likely a typing error, and for a param outside of `params`. Ignores other
 * unknown members, as verifiers send more members than the schema has.
 */
function checkMembers(body: ProviderState): void {
  const { properties } = ProviderState;
  for (const name of Object.keys(body)) {
    if (Object.hasOwn(properties, name)) continue;
    const isParam = projectParams.some((param) => param === name);
    const hint = isParam ? ` Did you mean "params": { "${name}": … }?` : didYouMean(name, Object.keys(properties));
    if (hint) throw invalid(join("", name), `unknown member.${hint}`);
  }
}

/** Throws InvalidField for a param that no state uses: a misspelt `project` would activate a scenario for all projects. */
function checkParams(states: readonly string[], params: Params): void {
  if (states.length === 0) return;
  const known: string[] = [...projectParams];
  for (const name of states) {
    const state = builtInState(name);
    if (state && !state.params) return;
    known.push(...(state?.params ?? scenarioParams));
  }
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(join("/params", unknown), unknownName("parameter", unknown, [...new Set(known)]));
}

type Action = NonNullable<ProviderState["action"]>;

async function changeBuiltIn(engine: Engine, name: string, action: Action, params: Params): Promise<Values> {
  const state = builtInState(name);
  const project = projectOf(engine, params);
  if (!project || !state) throw invalid("/params/project", `expected the project for "${name}", found nothing`);
  let values: Values = {};
  if (action === "setup") values = await state.setUp(engine, project, params);
  else await state.tearDown(engine, project, params);
  if (project.hasEnded) throw projectEnded(project);
  return values;
}

async function changeScenario(engine: Engine, name: string, action: Action, params: Params): Promise<Values> {
  const project = projectOf(engine, params);
  if (action === "teardown") {
    deactivateIn(engine, project, name);
    return {};
  }
  const { times, probability } = params;
  await activateIn(engine, project, name, await validated(Activation, { times, probability }, "/params"));
  return {};
}

/** Returns the keys of the projects that the params name. */
function namedProjects(body: unknown): string[] {
  const { project, projectKey } = (body as ProviderState).params ?? {};
  return [project, projectKey].filter((key) => key !== undefined);
}

function projectOf(engine: Engine, { project, projectKey }: Params): Project | undefined {
  const key = project ?? projectKey;
  if (key === undefined) return undefined;
  if (projectKey !== undefined && projectKey !== key) {
    throw invalid("/params/projectKey", `expected the value of project, ${shown(project)}, found ${shown(projectKey)}`);
  }
  const problem = projectKeyProblem(key);
  if (problem) throw invalid(`/params/${project === undefined ? "projectKey" : "project"}`, problem.message);
  return engine.projects.get(key);
}

function remove(state: StateDraft, params: Params): void {
  const { id, key } = namesOf(params);
  if (id !== undefined) removeRecord(state, id);
  else if (key !== undefined) removeHolder(state, key);
}

/** Removes the resource with this key. */
function removeHolder(state: StateDraft, key: string): void {
  const holder = resourceByKey(state.state, key);
  if (holder) state.remove(holder.id);
}

/** Removes all resources and keeps the rest of the state. Deleted resources are not created from the fixture again. */
function removeAll(project: Project): void {
  project.change((state) => {
    for (const id of [...state.state.ids.keys()]) state.remove(id);
  });
}

/** Removes the resources with this id and this key, and prevents their creation from the fixture. */
function exclude(project: Project, state: StateDraft, { id, key }: ResourceNames): void {
  if (id !== undefined) removeRecord(state, id);
  if (key !== undefined) removeHolder(state, key);
  const { deletedIds, deletedKeys } = state.state;
  const isExcluded = id === undefined || deletedIds.has(id);
  if (isExcluded && (key === undefined || deletedKeys.has(key))) return;
  // The first read of an unknown id creates the resource from the fixture. A deleted id prevents this.
  const draft = { id: id ?? project.newId(state), ...(key !== undefined && { key }), objectTypeProperty: {} };
  writeRecord(project, state, draft);
  state.remove(draft.id);
}

interface ResourceNames {
  id?: string;
  key?: string;
}

function namesOf(params: Params): ResourceNames {
  return { id: textOf(params, "id"), key: textOf(params, "key") };
}

function textOf(params: Params, name: "id" | "key"): string | undefined {
  const value = params[name];
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`/params/${name}`, `expected a string, found ${shown(value)}`);
}

function unknownState(engine: Engine, name: string): string {
  const known = [...Object.keys(builtIn), ...engine.scenarios.keys()];
  return `Provider state "${name.slice(0, 100)}" not found.${didYouMean(name, known)} Known states: ${known.join(", ")}`;
}
