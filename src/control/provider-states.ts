import {
  type Contract,
  cachedBy,
  closedObject,
  collectionAt,
  didYouMean,
  type FromSchema,
  join,
  MAX_ADDED,
  type Schema,
  ServiceError,
  string,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Project, projectEnded, projectKeyProblem, shortHash } from "../project/index.ts";
import { Activation, OperationName, Rule } from "../rules/index.ts";
import {
  aroundDrafts,
  complete,
  documentedItem,
  draftOf,
  identitiesOf,
  identity,
  itemBy,
  type StateDraft,
} from "../state/index.ts";
import { invalid, notFound, ok } from "./control-response.ts";
import { ProviderState, ProviderStateValues, TokenRequest } from "./control-schemas.ts";
import { insufficientStorage, json, onServer, problem, projectGone } from "./define-operation.ts";
import type { Names } from "./pact/pact-states.ts";
import { type Items, writeItem } from "./resource-operations.ts";
import { activateIn, deactivateIn } from "./scenario-operations.ts";
import { validated } from "./serve-control.ts";
import type { Controls } from "./subjects.ts";
import { issueTokenIn } from "./token-operations.ts";

/** A provider state. Only scenarios can be active for all projects. */
export interface ProviderStateSetup<Params = unknown, In = Project> {
  readonly params: Schema;
  /** Returns the values of the state, if it has any. */
  setUp(engine: Engine, project: In, params: Params): unknown;
  tearDown?(engine: Engine, project: In, params: Params): void;
  /** Returns the params of the state that a response with status 200 needs, for pacts; undefined if it needs none. */
  paramsOf?(operationId: string, body: unknown): object | undefined;
}

type Members = { readonly [name: string]: Schema };

/** Returns a state whose functions receive valid params, and no others. Each state has the param `project`. */
export function providerState<const Names extends Members>(
  params: Names,
  functions: Omit<ProviderStateSetup<FromSchema<{ readonly type: "object"; readonly properties: Names }>>, "params">,
): ProviderStateSetup {
  return { params: closedObject([], { project, ...params }), ...functions };
}

const project = { type: "string", description: "The project key." } as const;
const { times, probability } = Activation.properties;
const ScenarioParams = closedObject([], { project, times, probability });

/** Params about items. Those of a service with a draft of its own have the members of an item beside the id. */
interface Given {
  readonly project?: string;
  readonly type?: string;
  readonly id?: string;
  readonly resource?: object;
  readonly count?: number;
}

function resourceStates(contract: Contract): Readonly<Record<string, ProviderStateSetup>> {
  const [first] = contract.types;
  if (!first) return {};
  const draft = draftOf(first);
  const names = Object.fromEntries(["id", ...(first.alternates ?? [])].map((name) => [name, string]));
  const ofType = { project, ...(!first.draft && { type: string }) };
  const resource = first.draft ? draft : ({ type: "object" } as const);
  /** Returns the items of a state, the members of one of them, and what identifies it. */
  const meant = async ({ type = first.name, id, resource = {} }: Given) => {
    const items = collectionAt(contract, type);
    if (typeof items === "string") throw invalid("/params/type", items);
    if (!first.draft) await validated(draftOf(items.type), resource, "/params/resource");
    const names: Names = { ...identitiesOf(items.type, resource), ...(id && { id }) };
    return { ...items, members: resource, names };
  };
  const meantIn = ({ project: _project, id, ...others }: Given) =>
    meant(first.draft ? { id, resource: others } : { id, ...others });
  const states: Readonly<Record<string, ProviderStateSetup<Given>>> = {
    "a resource exists": {
      params: first.draft
        ? aroundDrafts(first, { type: "object", properties: { project, ...names, ...draft.properties } })
        : closedObject([], { ...ofType, id: string, resource }),
      async setUp(engine, project, params) {
        const { members, names, ...items } = await meantIn(params);
        const { type, name } = items;
        const { item } = project.change((state) => {
          const { id, ...others } = names;
          const holders = Object.entries(others).flatMap(([own, value]) => itemBy(state.in(name), own, value) ?? []);
          const ownId = id ?? holders[0]?.id ?? project.newId(state, name, type);
          // A resource of an earlier provider state may have the same key.
          for (const holder of holders) if (holder.id !== ownId) state.remove(name, holder.id);
          const whole = type.draft ? complete(draft, members, documentedItem(engine, type)?.value) : members;
          return writeItem(project, engine, state, items, { id: ownId, draft: whole as object, version: 1 });
        });
        return { id: item.id, ...item.alternates, version: item.version };
      },
      async tearDown(_engine, project, params) {
        const items = await meantIn(params);
        project.change((state) => removeNamed(state, items));
      },
    },

    "resources exist": {
      params: closedObject(["count", "resource"], {
        ...ofType,
        count: { type: "integer", minimum: 1, maximum: MAX_ADDED },
        resource,
      }),
      async setUp(engine, project, { count = 1, ...params }) {
        const { members, ...items } = await meant(params);
        const { type, name } = items;
        const createdBy = authorOf(members);
        // Only one resource can have a key.
        const shared = Object.entries(members).filter(([member]) => !type.alternates?.includes(member));
        const copy = { ...Object.fromEntries(shared), ...(type.draft ? { createdBy } : { $mock: { createdBy } }) };
        project.change((state) => {
          removeCopies(state, name, createdBy);
          for (let index = 0; index < count; index++) {
            writeItem(project, engine, state, items, { id: project.newId(state, name, type), draft: copy, version: 1 });
          }
        });
      },
      async tearDown(_engine, project, params) {
        const { name, members } = await meant(params);
        project.change((state) => removeCopies(state, name, authorOf(members)));
      },
    },

    "no resource exists": {
      params: closedObject([], first.draft ? { project, ...names } : { ...ofType, id: string, resource }),
      async setUp(_engine, project, params) {
        const items = await meantIn(params);
        const { name, names } = items;
        project.change((state) => {
          // The rest of the state stays. Removed resources are not created from the fixture again.
          if (Object.keys(names).length === 0) {
            for (const each of [...state.in(name).ids.keys()]) state.remove(name, each);
            return;
          }
          removeNamed(state, items);
          for (const [member, value] of Object.entries(names)) state.set("gone", name, identity(member, value), true);
        });
      },
    },
  };
  return states as Readonly<Record<string, ProviderStateSetup>>;
}

/** Returns the author of the copies of a resource, by which teardown finds them. */
function authorOf(members: object): string {
  return `pact-${shortHash(JSON.stringify(members))}`;
}

function removeCopies(state: StateDraft, name: string, author: string): void {
  const copies = [...state.in(name).items.values()].filter(({ createdBy }) => createdBy === author);
  for (const { id } of copies) state.remove(name, id);
}

const general: Readonly<Record<string, ProviderStateSetup>> = {
  "a token exists": providerState(TokenRequest.properties, {
    setUp: (engine, project, given) => ({ accessToken: issueTokenIn(engine, project, given).access_token }),
  }),

  // The mock issues only tokens, and accepts any other credentials.
  "credentials exist": providerState({ name: string }, { setUp: () => ({ credentials: "cmVhZGVyOnNlY3JldA==" }) }),

  "a token is required": {
    params: closedObject([], { project }),
    setUp: (engine, project) => useRule(engine, project, { settings: { auth: "strict" } }),
    tearDown: removeRule,
  },

  "a rule responds": providerState(
    { operation: OperationName, ...Rule.properties.respond.properties },
    {
      async setUp(
        engine,
        project,
        { project: _project, operation, ...respond }: { project?: string; operation?: string },
      ) {
        await useRule(engine, project, { operation, respond } as Rule).catch((error: unknown) => {
          throw error instanceof ServiceError ? atParams(error) : error;
        });
      },
      tearDown: removeRule,
    },
  ),
};

const aboutResources = cachedBy(resourceStates);

function statesOf(contract: Contract, { providerStates }: Controls) {
  return { ...aboutResources(contract), ...providerStates, ...general };
}

/** Returns the schemas of the params of all states, which the build compiles. */
export function paramsOfStates(contract: Contract, controls: Controls): readonly Schema[] {
  return [ScenarioParams, ...Object.values(statesOf(contract, controls)).map(({ params }) => params)];
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

function removeNamed(state: StateDraft, { name, names }: Pick<Items, "name"> & { readonly names: Names }): void {
  for (const [member, value] of Object.entries(names)) {
    const holder = itemBy(state.in(name), member, value);
    if (holder) state.remove(name, holder.id);
  }
}

export const operations = {
  setProviderState: onServer("POST", "/provider-states", {
    projectsIn: (body) => [(body as ProviderState).params?.project ?? []].flat(),
    summary: "Set up or tear down a provider state for the verifier of Pact",
    description:
      "A state is the name of a scenario or a built-in state. `a resource exists`, `resources exist` and `no resource exists` change the stored resources. `a token exists` returns an `accessToken` with the `scopes`; `a token is required` rejects the next request without a token. `a rule responds` returns this `status`, `body` and these `headers` to the next request of the `operation`. An empty state does nothing. Setup activates the scenario in the `project` of `params`, with its `times` and `probability`; without a project, for all projects. Teardown deactivates the scenario. `a resource exists` creates or replaces a resource; `params` contains its id, key and further fields. Setup also removes another resource with this key. Teardown removes the created resource if `params` contains its id or key. `resources exist` creates `count` copies of the `resource`, and teardown removes them. `no resource exists` removes the resources with the id and the key in `params`; without both, it removes all resources and keeps the rest of the state. Removed resources return 404 and are not created from the fixture again. With other contracts than the built-in one, `params` contains the `type` (the path of a collection, or a type's name), the `id`, and the members of the item in `resource`. `credentials exist` returns `credentials`, which the mock does not check.",
    body: ProviderState,
    example: { state: "a resource exists", params: { project: "my-project", id: "42" } },
    responses: {
      200: json("Values of the state, for the generators of the pact.", ProviderStateValues),
      404: problem("The provider state does not exist."),
      409: problem("The rules reached a limit, or another call took the key in the meantime."),
      503: projectGone,
      507: insufficientStorage,
    },
    async handle({ control, engine, body }) {
      checkMembers(body);
      const builtIn = statesOf(engine.contract, await control.controls());
      const { state: name, action = "setup" } = body;
      // For an interaction without a state, verifiers send an empty state.
      if (!name) return ok({});
      const known = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
      if (!known && !engine.scenarios.get(name)) {
        const names = [...Object.keys(builtIn), ...engine.scenarios.keys()];
        const hint = `${didYouMean(name, names)} Known states: ${names.join(", ")}`;
        throw notFound(`Provider state "${name.slice(0, 100)}" not found.${hint}`);
      }
      const state = known ?? scenarioState(name);
      // A misspelt `project` would activate a scenario for all projects.
      const params = await validated(state.params, body.params ?? {}, "/params");
      const project = projectOf(engine, body.params?.project);
      if (known && !project) throw invalid("/params/project", `expected the project for "${name}", found nothing`);
      const { setUp, tearDown } = state as ProviderStateSetup<unknown, Project | undefined>;
      const change = action === "setup" ? setUp : tearDown;
      const values = await change?.(engine, project, params);
      if (project?.hasEnded) throw projectEnded(project);
      return ok(values ?? {});
    },
  }),
};

function scenarioState(name: string): ProviderStateSetup<FromSchema<typeof ScenarioParams>, Project | undefined> {
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
