import type { ObjectTestType } from "../contract/schemas.ts";
import type { Engine } from "../engine/engine.ts";
import type { Project } from "../projects/project.ts";
import { projectKeyProblem } from "../projects/projects.ts";
import { Activation } from "../scenarios/scenario.ts";
import { RecordDraft } from "../state/record.ts";
import { join } from "../text/json.ts";
import { didYouMean, unknownName } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import { ok } from "./answer.ts";
import { validated } from "./body.ts";
import { json, noRoom, onServer, problem, projectGone } from "./operation.ts";
import { invalid, notFound } from "./problem.ts";
import { removeRecord, writeRecord } from "./resources.ts";
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
      const { store } = project;
      const { id, key } = placeOf(params);
      if (id === undefined && key === undefined) {
        await store.replace({ ...(await store.contents()), records: [], facts: {} });
      } else {
        // What was never there would come to life when it is asked for: only what has been deleted does not.
        const draft = {
          id: id ?? (await idFor(project, key)),
          ...(key !== undefined && { key }),
          objectTypeProperty: {},
        };
        await writeRecord(project, draft);
        await removeRecord(project, draft.id);
      }
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
      'The state is a scenario\'s name: turned on in the `project` (or `projectKey`) that `params` names (with its `times` and `probability`), or for all, and off again at teardown. Or one of: "a resource exists" (`params`: id, key and further fields of the resource; removed again at teardown), "no resource exists" (with id or key: that one is 404; without, the project has none). An empty state does nothing.',
    body: ProviderState,
    responses: {
      200: json("Values of the state, for the pact's generators.", ProviderStateValues),
      404: problem("There is no such state."),
      409: problem("The resource's key is another's, or the project's scenarios have too many rules."),
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
  if (action === "setup") return state.setUp(engine, project, params);
  await state.tearDown(engine, project, params);
  return {};
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
  const record = id !== undefined ? { id } : key !== undefined ? await project.store.getByKey(key) : undefined;
  if (record) await removeRecord(project, record.id);
}

function placeOf(params: Params): { id?: string; key?: string } {
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
