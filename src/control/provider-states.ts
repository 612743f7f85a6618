import type { ObjectTestType } from "../contract/schemas.ts";
import type { Engine } from "../engine/engine.ts";
import { type Project, projectEnded } from "../projects/project.ts";
import { projectKeyProblem } from "../projects/projects.ts";
import { Activation } from "../scenarios/scenario.ts";
import { RecordDraft } from "../state/record.ts";
import { join } from "../text/json.ts";
import { didYouMean, unknownName } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import { validated } from "./body.ts";
import { json, noRoom, onServer, problem, projectGone } from "./operation.ts";
import { invalid, notFound } from "./problem.ts";
import { removeRecord, writeRecord } from "./resources.ts";
import { ok } from "./response.ts";
import { switchOff, switchOn } from "./scenarios.ts";
import { ProviderState, ProviderStateValues } from "./schemas.ts";

type Params = NonNullable<ProviderState["params"]> & { readonly [name: string]: unknown };
/** What a verifier may put into its requests and expectations. */
type Values = Record<string, unknown>;

/** States that are no scenarios: what is stored. Each is set up, and torn down, in the project that `params` names. */
interface BuiltInState {
  /** The params beside the project; without the list, any. */
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
      const id = draft.id ?? (await idFor(project, draft.key));
      // The key may be that of a resource which an earlier state left.
      if (draft.key !== undefined) await removeOther(project, draft.key, id);
      const { record } = await writeRecord(project, { version: 1, ...draft, id });
      return { id: record.id, key: record.key, version: record.version };
    },
    async tearDown(_engine, project, params) {
      await remove(project, params);
    },
  },

  "no resource exists": {
    params: ["id", "key"],
    async setUp(_engine, project, params) {
      const place = placeOf(params);
      if (place.id === undefined && place.key === undefined) await removeAll(project);
      else await exclude(project, place);
      return {};
    },
    async tearDown() {},
  },
};

const projectParams = ["project", "projectKey"] as const;
const scenarioParams = ["times", "probability"] as const;

export const providerStateOperations = {
  setProviderState: onServer("POST", "/provider-states", {
    summary: "Set up, or tear down, a provider state for Pact's verifier",
    description:
      'The state is a scenario\'s name: turned on in the `project` (or `projectKey`) that `params` names (with its `times` and `probability`), or for all, and off again at teardown. Or one of: "a resource exists" (`params`: id, key and further fields of the resource; another resource with this key is removed; if params name the id or the key, teardown removes the resource), "no resource exists" (with id, key or both: no resource has this id, and none this key; with neither: all resources are removed, the rest of the state stays). Removed resources are 404 and are not created from the fixture again. An empty state does nothing.',
    body: ProviderState,
    responses: {
      200: json("Values of the state, for the pact's generators.", ProviderStateValues),
      404: problem("There is no such state."),
      409: problem("The project's scenarios have too many rules, or another call used the key meanwhile."),
      503: projectGone,
      507: noRoom,
    },
    async handle({ engine, body }) {
      checkMembers(body);
      const { state, states, action = "setup" } = body;
      const params: Params = body.params ?? {};
      // An interaction without a state comes with an empty one.
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

/** Verifiers may send more than is known; what is nearly a member's name, or stands beside `params`, was meant as one. */
function checkMembers(body: ProviderState): void {
  const { properties } = ProviderState;
  for (const name of Object.keys(body)) {
    if (Object.hasOwn(properties, name)) continue;
    const isParam = projectParams.some((param) => param === name);
    const hint = isParam ? ` Did you mean "params": { "${name}": … }?` : didYouMean(name, Object.keys(properties));
    if (hint) throw invalid(join("", name), `is not known here.${hint}`);
  }
}

/** A param that none of the states has a use for was meant as another: a scenario would be turned on for all projects. */
function checkParams(states: readonly string[], params: Params): void {
  if (states.length === 0) return;
  const known: string[] = [...projectParams];
  for (const name of states) {
    const state = builtInState(name);
    if (state && !state.params) return;
    known.push(...(state?.params ?? scenarioParams));
  }
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(join("/params", unknown), unknownName(unknown, [...new Set(known)]));
}

type Action = NonNullable<ProviderState["action"]>;

async function changeBuiltIn(engine: Engine, name: string, action: Action, params: Params): Promise<Values> {
  const state = builtInState(name);
  const project = projectOf(engine, params);
  if (!project || !state)
    throw invalid("/params/project", `expected the project that "${name}" is about, found nothing`);
  let values: Values = {};
  if (action === "setup") values = await state.setUp(engine, project, params);
  else await state.tearDown(engine, project, params);
  if (project.hasEnded) throw projectEnded(project);
  return values;
}

async function changeScenario(engine: Engine, name: string, action: Action, params: Params): Promise<Values> {
  const project = projectOf(engine, params);
  if (action === "teardown") {
    switchOff(engine, project, name);
    return {};
  }
  const { times, probability } = params;
  await switchOn(engine, project, name, await validated(Activation, { times, probability }, "/params"));
  return {};
}

function projectOf(engine: Engine, { project, projectKey }: Params): Project | undefined {
  const key = project ?? projectKey;
  if (key === undefined) return undefined;
  if (projectKey !== undefined && projectKey !== key) {
    throw invalid("/params/projectKey", `expected it or project, found ${shown(projectKey)} and ${shown(project)}`);
  }
  const problem = projectKeyProblem(key);
  if (problem) throw invalid(`/params/${project === undefined ? "projectKey" : "project"}`, problem.message);
  return engine.projects.get(key);
}

/** The id of the resource with this key, or a new one. */
async function idFor(project: Project, key: string | undefined): Promise<string> {
  const holder = key === undefined ? undefined : await project.store.getByKey(key);
  return holder?.id ?? project.newId();
}

async function remove(project: Project, params: Params): Promise<void> {
  const { id, key } = placeOf(params);
  if (id !== undefined) await removeRecord(project, id);
  else if (key !== undefined) await removeOther(project, key);
}

/** Removes the resource with this key, unless it has this id. */
async function removeOther(project: Project, key: string, id?: string): Promise<void> {
  const holder = await project.store.getByKey(key);
  if (holder && holder.id !== id) await removeRecord(project, holder.id);
}

/** Removes all resources, and nothing else. Like every deleted resource, they are not created from the fixture again. */
async function removeAll({ store }: Project): Promise<void> {
  const { records, deleted, ...others } = await store.contents();
  const ids = [...deleted.ids];
  const keys = [...deleted.keys];
  for (const { id, key } of records) {
    ids.push(id);
    if (key !== undefined) keys.push(key);
  }
  await store.replace({ ...others, records: [], deleted: { ids, keys } });
}

/** Sees to it that no resource has this id, and none this key. */
async function exclude(project: Project, { id, key }: Place): Promise<void> {
  const { store } = project;
  if (id !== undefined) await removeRecord(project, id);
  if (key !== undefined) await removeOther(project, key);
  const isExcluded = id === undefined || (await store.wasDeleted({ id }));
  if (isExcluded && (key === undefined || (await store.wasDeleted({ key })))) return;
  // The first read would create the resource from the fixture: only a deleted one stays away.
  const draft = { id: id ?? (await project.newId()), ...(key !== undefined && { key }), objectTypeProperty: {} };
  await writeRecord(project, draft);
  await removeRecord(project, draft.id);
}

interface Place {
  id?: string;
  key?: string;
}

function placeOf(params: Params): Place {
  return { id: textOf(params, "id"), key: textOf(params, "key") };
}

function textOf(params: Params, name: "id" | "key"): string | undefined {
  const value = params[name];
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`/params/${name}`, "expected a string");
}

function unknownState(engine: Engine, name: string): string {
  const known = [...Object.keys(builtIn), ...engine.scenarios.keys()];
  return `There is no provider state "${name.slice(0, 100)}".${didYouMean(name, known)} States are: ${known.join(", ")}`;
}
