import {
  closedObject,
  didYouMean,
  type FromSchema,
  join,
  MAX_ADDED,
  NAMESPACE_ACTION,
  type ObjectTestType,
  object,
  RESOURCE,
  type Schema,
  ServiceError,
  string,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Project, projectEnded, projectKeyProblem, shortHash } from "../project/index.ts";
import { Activation, OperationName, Rule } from "../rules/index.ts";
import { type Item, identity, itemBy, RecordDraft, type StateDraft } from "../state/index.ts";
import { invalid, notFound, ok } from "./control-response.ts";
import { ProviderState, ProviderStateValues, TokenRequest } from "./control-schemas.ts";
import { insufficientStorage, json, onServer, problem, projectGone } from "./define-operation.ts";
import { writeRecord } from "./resource-operations.ts";
import { activateIn, deactivateIn } from "./scenario-operations.ts";
import { validated } from "./serve-control.ts";
import { issueTokenIn } from "./token-operations.ts";

/** A provider state. Only scenarios can be active for all projects. */
interface State<Params = unknown, In = Project> {
  readonly params: Schema;
  /** Returns the values of the state, if it has any. */
  setUp(engine: Engine, project: In, params: Params): unknown;
  tearDown?(engine: Engine, project: In, params: Params): void;
}

/** Returns a state whose functions receive valid params. Each state has the param `project`. */
function state<S extends Schema>(params: S, functions: Omit<State<FromSchema<S>>, "params">): State {
  return { params, ...functions };
}

const project = { type: "string", description: "The project key." } as const;
const { times, probability } = Activation.properties;
const ScenarioParams = closedObject([], { project, times, probability });
const ResourceNames = closedObject([], { project, id: string, key: string });
type ResourceNames = FromSchema<typeof ResourceNames>;

const builtIn: Readonly<Record<string, State>> = {
  "a resource exists": state(object([], { project, ...RecordDraft.properties }), {
    setUp(engine, project, { project: _project, ...given }) {
      const { id, key } = given;
      const reader = engine.contract.readerBy("id");
      const content = reader && (engine.fixtures.get(reader.id, 200)?.value as ObjectTestType | undefined);
      const { objectTypeProperty = content?.objectTypeProperty ?? {} } = given;
      const { record } = project.change((draft) => {
        const holder = holderOf(draft, key);
        const ownId = id ?? holder?.id ?? project.newId(draft, RESOURCE);
        // A resource of an earlier provider state may have the same key.
        if (holder && holder.id !== ownId) draft.remove(RESOURCE, holder.id);
        return writeRecord(project, draft, { version: 1, ...given, objectTypeProperty, id: ownId });
      });
      return { id: record.id, key: record.key, version: record.version };
    },
    tearDown: (_engine, project, names) => project.change((draft) => removeNamed(draft, names)),
  }),

  "resources exist": state(
    closedObject(["count", "resource"], {
      project,
      count: { type: "integer", minimum: 1, maximum: MAX_ADDED },
      resource: RecordDraft,
    }),
    {
      setUp(_engine, project, { count, resource }) {
        project.change((draft) => {
          for (const id of idsOfCopies(count, resource)) writeRecord(project, draft, { version: 1, ...resource, id });
        });
      },
      tearDown(_engine, project, { count, resource }) {
        project.change((draft) => {
          for (const id of idsOfCopies(count, resource)) draft.remove(RESOURCE, id);
        });
      },
    },
  ),

  "no resource exists": state(ResourceNames, {
    setUp(_engine, project, { id, key }) {
      project.change((draft) => {
        if (id !== undefined || key !== undefined) return exclude(project, draft, { id, key });
        // The rest of the state stays. Deleted resources are not created from the fixture again.
        for (const each of [...draft.in(RESOURCE).ids.keys()]) draft.remove(RESOURCE, each);
      });
    },
  }),

  "a namespace action body exists": state(closedObject([], { project, body: {} }), {
    setUp(_engine, project, { body = null }) {
      project.change((draft) => draft.setSingleton(NAMESPACE_ACTION, body, project.clock.timestamp()));
    },
    tearDown(_engine, project) {
      project.change((draft) => draft.remove(NAMESPACE_ACTION, ""));
    },
  }),

  "a token exists": state(closedObject([], { project, ...TokenRequest.properties }), {
    setUp: (engine, project, given) => ({ accessToken: issueTokenIn(engine, project, given).access_token }),
  }),

  "a token is required": state(closedObject([], { project }), {
    setUp: (engine, project) => useRule(engine, project, { settings: { auth: "strict" } }),
    tearDown: removeRule,
  }),

  "a rule responds": state(
    closedObject([], { project, operation: OperationName, ...Rule.properties.respond.properties }),
    {
      async setUp(engine, project, { project: _project, operation, ...respond }) {
        await useRule(engine, project, { operation, respond } as Rule).catch((error: unknown) => {
          throw error instanceof ServiceError ? atParams(error) : error;
        });
      },
      tearDown: removeRule,
    },
  ),
};

/** The schemas of the params of all states, which the build compiles. */
export const paramsOfStates: readonly Schema[] = [
  ScenarioParams,
  ...Object.values(builtIn).map(({ params }) => params),
];

/** Returns the ids of copies of a resource, which are the same for each setup. */
function idsOfCopies(count: number, resource: object): string[] {
  const prefix = `pact-${shortHash(JSON.stringify(resource))}`;
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** The name of the inline scenario with the rule of a provider state. */
const RULE_OF_STATE = "provider-state";

/** Lets a rule take effect on the next request. It replaces the rule of an earlier provider state. */
async function useRule(engine: Engine, project: Project, rule: Rule): Promise<void> {
  await activateIn(engine, project, RULE_OF_STATE, { rules: [rule], times: 1 });
}

function removeRule(engine: Engine, project: Project): void {
  if (project.activeRules.scenarios.some(({ name }) => name === RULE_OF_STATE)) {
    deactivateIn(engine, project, RULE_OF_STATE);
  }
}

/** Returns the error of a rule with the locations of its members in the params. */
function atParams({ details, headers }: ServiceError): ServiceError {
  const inParams = (text: string) => text.replace(/^\/rules\/0(\/respond)?/, "/params");
  const located = details.map(({ field, message, ...detail }) => ({
    ...detail,
    message: inParams(message),
    ...(field !== undefined && { field: inParams(field) }),
  }));
  return new ServiceError(located, headers);
}

function holderOf(draft: StateDraft, key: string | undefined): Item | undefined {
  return key === undefined ? undefined : itemBy(draft.in(RESOURCE), "key", key);
}

/** Removes the resource with this id and the one with this key. */
function removeNamed(draft: StateDraft, { id, key }: ResourceNames): void {
  const holder = holderOf(draft, key);
  if (id !== undefined) draft.remove(RESOURCE, id);
  if (holder && holder.id !== id) draft.remove(RESOURCE, holder.id);
}

/** Removes the resources with this id and this key, and prevents their creation from the fixture. */
function exclude(project: Project, draft: StateDraft, { id, key }: ResourceNames): void {
  removeNamed(draft, { id, key });
  const { gone } = draft.in(RESOURCE);
  const isExcluded = id === undefined || gone.has(identity("id", id));
  if (isExcluded && (key === undefined || gone.has(identity("key", key)))) return;
  // The first read of an unknown id creates the resource from the fixture. A deleted id prevents this.
  const deleted = {
    id: id ?? project.newId(draft, RESOURCE),
    ...(key !== undefined && { key }),
    objectTypeProperty: {},
  };
  writeRecord(project, draft, deleted);
  draft.remove(RESOURCE, deleted.id);
}

export const operations = {
  setProviderState: onServer("POST", "/provider-states", {
    projectsIn: (body) => [(body as ProviderState).params?.project ?? []].flat(),
    summary: "Set up or tear down a provider state for the verifier of Pact",
    description:
      "A state is the name of a scenario or a built-in state. `a resource exists`, `resources exist` and `no resource exists` change the stored resources. `a namespace action body exists` stores the `body` that readNamespaceAction returns. `a token exists` returns an `accessToken` with the `scopes`; `a token is required` rejects the next request without a token. `a rule responds` returns this `status`, `body` and these `headers` to the next request of the `operation`. An empty state does nothing. Setup activates the scenario in the `project` of `params`, with its `times` and `probability`; without a project, for all projects. Teardown deactivates the scenario. `a resource exists` creates or replaces a resource; `params` contains its id, key and further fields. Setup also removes another resource with this key. Teardown removes the created resource if `params` contains its id or key. `resources exist` creates `count` copies of the `resource`, and teardown removes them. `no resource exists` removes the resources with the id and the key in `params`; without both, it removes all resources and keeps the rest of the state. Removed resources return 404 and are not created from the fixture again.",
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
      const { state: name, action = "setup" } = body;
      // For an interaction without a state, verifiers send an empty state.
      if (!name) return ok({});
      const isBuiltIn = Object.hasOwn(builtIn, name);
      if (!isBuiltIn && !engine.scenarios.get(name)) throw notFound(unknownState(engine, name));
      const state = (isBuiltIn ? builtIn[name] : scenarioState(name)) as State<unknown, Project | undefined>;
      // A misspelt `project` would activate a scenario for all projects.
      const params = await validated(state.params, body.params ?? {}, "/params");
      const project = projectOf(engine, body.params?.project);
      if (isBuiltIn && !project) throw invalid("/params/project", `expected the project for "${name}", found nothing`);
      const change = action === "setup" ? state.setUp : state.tearDown;
      const values = await change?.(engine, project, params);
      if (project?.hasEnded) throw projectEnded(project);
      return ok(values ?? {});
    },
  }),
};

function scenarioState(name: string): State<FromSchema<typeof ScenarioParams>, Project | undefined> {
  return {
    params: ScenarioParams,
    async setUp(engine, project, { times, probability }) {
      await activateIn(engine, project, name, { times, probability });
    },
    tearDown: (engine, project) => deactivateIn(engine, project, name),
  };
}

/** Throws InvalidField for a member that is likely a typing error. Verifiers send more members than the schema has. */
function checkMembers(body: ProviderState): void {
  const known = Object.keys(ProviderState.properties);
  for (const name of Object.keys(body).filter((each) => !known.includes(each))) {
    const hint = name === "project" ? ' Did you mean "params": { "project": … }?' : didYouMean(name, known);
    if (hint) throw invalid(join("", name), `unknown member.${hint}`);
  }
}

function projectOf(engine: Engine, key: string | undefined): Project | undefined {
  const problem = key === undefined ? undefined : projectKeyProblem(key);
  if (problem) throw invalid("/params/project", problem.message);
  return key === undefined ? undefined : engine.projects.get(key);
}

function unknownState(engine: Engine, name: string): string {
  const known = [...Object.keys(builtIn), ...engine.scenarios.keys()];
  return `Provider state "${name.slice(0, 100)}" not found.${didYouMean(name, known)} Known states: ${known.join(", ")}`;
}
