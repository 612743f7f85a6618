import {
  type Contract,
  closedObject,
  count,
  counted,
  cut,
  MAX_INT32,
  MAX_NAMED_OPERATIONS,
  MAX_RESULT,
  MAX_RESULT_REQUESTS,
  MAX_SHOWN_ITEMS,
  MAX_SHOWN_PROJECTS,
  type OperationSummary,
  type Schema,
} from "../../contract/index.ts";
import {
  control,
  type EntryOfAll,
  type ProjectControl,
  type ProjectSummary,
  path,
  type RequestPage,
  type ResourceRecord,
} from "../../control/client/index.ts";
import { ClockChange, Generate, ProjectFilter, requestPaging, selection, TokenRequest } from "../../control/index.ts";
import { Verification } from "../../journal/index.ts";
import { Activation, ContractOperation, Rule } from "../../rules/index.ts";
import { draftOf, SettingsSchema } from "../../state/index.ts";
import {
  adds,
  bounded,
  deletes,
  fitting,
  InvalidArguments,
  limited,
  type Mock,
  type OperationDocument,
  onlyOne,
  operationIn,
  reads,
  requireType,
  shortEntries,
  type Tool,
  text,
  tool,
} from "./tool.ts";

const project = text("The project key: the first segment of request paths. Its first use creates it.");
const anyProject = text("The project key; all projects by default.");
const ofType = text("A type, or a collection's path.");
const request = text("The id of a request in the journal.");
const side = {
  enum: ["before", "after"],
  description: "The state before the request (the default) or after it.",
} as const;

const LISTED_PROJECTS = 50;
const LISTED_REQUESTS = 20;
const SHOWN_SUMMARY = 100;

const { times, probability } = Activation.properties;

/** Throws ControlError, with the most similar project key, for a project that does not exist: it is not an empty one. */
async function existing(client: Mock["client"], project: string): Promise<ProjectControl> {
  const found = client.project(project);
  await found.summary();
  return found;
}

/** Returns the items in a state, which has a list of them or one for each collection. */
function itemsIn(state: object): readonly object[] {
  type Items = readonly object[];
  const { resources, collections = {} } = state as {
    resources?: Items;
    collections?: Record<string, { items: Items }>;
  };
  return resources ?? Object.values(collections).flatMap(({ items }) => items);
}

/** Returns a note about the items that a result does not show, if there are any. */
function noteOn(omitted: number, note: string): { readonly note?: string } {
  return omitted > 0 ? { note } : {};
}

/** Returns the tools for mocks of a contract. */
export const toolsFor = ({ ids: [example], types: [type], document }: Contract): readonly Tool[] => [
  tool({
    name: "read_contract",
    title: "Read the contract",
    description:
      "Returns the address of the mock, the operations of the service in pages, its types, and the scenarios that the tool `use` can activate. With `operation`: its parameters, schemas and examples. Read it first.",
    input: closedObject([], {
      operation: ContractOperation,
      q: text("Words of the id, path, summary, tag or type."),
      offset: { ...count, maximum: MAX_INT32, description: "The operations to skip." },
    }),
    hints: reads,
    async run({ client, connection, contract }, { operation, q, offset = 0 }) {
      if (operation !== undefined) {
        const place = path`/contract/operations/${operation}`;
        return bounded(operationIn(await control<OperationDocument>(connection, { method: "GET", path: place })));
      }
      type Operations = { readonly operations: OperationSummary[]; readonly total: number };
      const query = { q, offset, limit: MAX_NAMED_OPERATIONS };
      const call = { method: "GET", path: "/contract/operations", query } as const;
      const { operations, total } = await control<Operations>(connection, call);
      const lines = operations.map(({ reason: _reason, summary, ...each }) => {
        return { ...each, summary: cut(summary, SHOWN_SUMMARY) };
      });
      const shown = fitting(lines);
      const next = offset + shown.length;
      const note = `Operations ${offset + 1} to ${next} of ${total}. Call again with offset ${next} for more, or with q.`;
      const page = { operations: shown, total, ...noteOn(shown.length && total - next, note) };
      if (q !== undefined || offset > 0) return page;
      const types = contract.types.slice(0, MAX_NAMED_OPERATIONS).map(({ name, path }) => {
        const own = contract.operations.filter(({ role }) => role?.type === name);
        return { type: name, path, operations: own.length };
      });
      const scenarios = (await client.scenarios.list()).map(({ name, description }) => ({ name, description }));
      return bounded({ mock: client.url, ...page, types, scenarios });
    },
  }),
  tool({
    name: "list_projects",
    title: "List projects",
    description:
      "Lists the projects with their numbers of resources, requests, errors and contract violations, and their active scenarios and rules.",
    input: closedObject([], {
      q: ProjectFilter.properties.q,
      sort: ProjectFilter.properties.sort,
      limit: limited("projects", LISTED_PROJECTS, MAX_SHOWN_PROJECTS),
      offset: { ...count, maximum: MAX_INT32, description: "The number of projects to skip; 0 by default." },
    }),
    hints: reads,
    async run({ client, connection }, { limit = LISTED_PROJECTS, offset = 0, ...query }) {
      type Projects = { readonly projects: ProjectSummary[]; readonly total: number };
      const page = { method: "GET", path: "/projects", query: { ...query, limit, offset } } as const;
      const { projects, total } = await control<Projects>(connection, page);
      const shown = fitting(projects);
      const next = offset + shown.length;
      const note = `Projects ${offset + 1} to ${next} of ${total}. Call again with offset ${next} for more.`;
      return { mock: client.url, projects: shown, total, ...noteOn(shown.length && total - next, note) };
    },
  }),
  tool({
    name: "seed",
    title: "Add resources",
    description:
      "Adds resources to the state of a project: those in `resources`, or `generate` generated ones. If one resource is invalid, none is added.",
    input: closedObject(["project"], {
      project,
      type: ofType,
      resources: {
        type: "array",
        minItems: 1,
        // A schema of a document can contain itself.
        items: (type && !document ? draftOf(type) : {}) as Schema,
        description: "The resources to add. Defaults: a new id, version 1, the time of the project.",
      },
      generate: Generate.properties.generate,
      seed: { ...Generate.properties.seed, description: "With generate: the same seed generates the same content." },
    }),
    hints: adds,
    bodies: ["resources"],
    async run({ connection, contract }, { project, type, resources, generate, seed }) {
      onlyOne({ resources, generate });
      requireType(contract, type);
      if (resources && seed !== undefined) {
        throw new InvalidArguments("arguments: expected seed with generate, found it with resources");
      }
      const body = resources ?? { generate, ...(seed !== undefined && { seed }) };
      const call = { method: "POST", path: path`/projects/${project}/resources`, query: { type }, body } as const;
      const { resources: added } = await control<{ resources: readonly ResourceRecord[] }>(connection, call);
      // An item of a document has what is no member of it under `$mock`.
      const resourcesShown = added.slice(0, MAX_SHOWN_ITEMS).map(({ $mock, ...own }) => {
        const { id, key, version } = Object.assign(own, $mock);
        return { id, key, version };
      });
      const omitted = added.length - resourcesShown.length;
      const note = `${omitted} more resources are not shown. All of them were added.`;
      return { added: added.length, resources: resourcesShown, ...noteOn(omitted, note) };
    },
  }),
  tool({
    name: "use",
    title: "Use a scenario or rule",
    description: `Changes the responses of a project. Set exactly one of \`scenario\`, to activate a scenario by name (\`read_contract\` lists them); \`rule\`, to add a rule, such as { "operation": "${example}", "respond": { "status": 503 }, "times": 1 }; \`stop\`, to deactivate a scenario or remove a rule. The newest rule has the highest precedence; rules precede scenarios.`,
    input: closedObject(["project"], {
      project,
      scenario: text("The name of the scenario, such as conflict."),
      times: { ...times, description: `With scenario: ${times.description}` },
      probability: { ...probability, description: `With scenario: ${probability.description}` },
      rule: Rule,
      stop: text("The name of an active scenario, or the id of a rule, such as r-1."),
    }),
    hints: adds,
    bodies: ["rule"],
    async run({ client }, { project, scenario, times, probability, rule, stop }) {
      onlyOne({ scenario, rule, stop });
      if (scenario === undefined && (times ?? probability) !== undefined) {
        throw new InvalidArguments("arguments: expected times and probability with scenario, found them without it");
      }
      const controls = client.project(project);
      if (rule !== undefined) return { project, rule: (await controls.rule(rule)).id };
      if (scenario !== undefined) {
        const { name, description } = await controls.use(scenario, { times, probability });
        return { project, scenario: name, description };
      }
      await existing(client, project);
      const name = stop ?? "";
      await (/^r-\d+$/.test(name) ? controls.rules.delete(name) : controls.scenarios.off(name));
      return { project, stopped: name };
    },
  }),
  tool({
    name: "configure",
    title: "Read or change settings, clock and tokens",
    description:
      "Returns the settings, the clock and the valid tokens of a project, after at most one change: of `settings`, of the `clock`, or of a token. An issued token is in `accessToken`.",
    input: closedObject(["project"], {
      project,
      settings: {
        type: "object",
        minProperties: 1,
        description: `The settings to change: ${Object.keys(SettingsSchema.properties).join(", ")}.`,
      },
      clock: ClockChange,
      token: { ...TokenRequest, description: "Issues a token; {} for all scopes." },
      revoke: text("The text of a token, or its id in `tokens`."),
    }),
    hints: adds,
    bodies: ["settings", "clock", "token"],
    async run({ client, connection }, { project, settings, clock, token, revoke }) {
      const change = onlyOne({ settings, clock, token, revoke }, true);
      if (change === undefined || change === "revoke") await existing(client, project);
      const controls = client.project(project);
      if (settings) await controls.settings.set(settings);
      if (clock) await control(connection, { method: "PUT", path: path`/projects/${project}/clock`, body: clock });
      const issued = token && (await controls.token(token));
      if (revoke !== undefined) await controls.tokens.revoke(revoke);
      const valid = await controls.tokens.list();
      const shown = valid.slice(0, MAX_SHOWN_ITEMS);
      const omitted = valid.length - shown.length;
      return {
        project,
        settings: await controls.settings.get(),
        clock: await controls.clock.get(),
        tokens: shown,
        ...(issued && { accessToken: issued.access_token }),
        ...noteOn(omitted, `${omitted} older tokens are not shown.`),
      };
    },
  }),
  tool({
    name: "read_journal",
    title: "Read the journal",
    description:
      "Returns received requests with their responses, newest first. `decisions` says why the mock responded as it did; `source` names the fixture, scenario or rule. Long bodies are cut; a search that finds one request, such as `q` with its id, shows more of its bodies.",
    input: closedObject([], {
      project: anyProject,
      ...selection,
      status: { ...selection.status, type: ["string", "integer"] },
      limit: limited("requests", LISTED_REQUESTS, MAX_RESULT_REQUESTS),
      before: requestPaging.before,
    }),
    hints: reads,
    async run({ client, connection }, { project, limit = LISTED_REQUESTS, ...filters }) {
      const all = project === undefined ? undefined : (await client.project(project).summary()).requests;
      const place = project === undefined ? "/requests" : path`/projects/${project}/requests`;
      const page = { method: "GET", path: place, query: { ...filters, limit } } as const;
      const { requests, total, dropped, next } = await control<RequestPage<EntryOfAll>>(connection, page);
      const shown = fitting(shortEntries(requests));
      const cursor = shown.length < requests.length ? requests[shown.length - 1]?.id : next;
      return {
        requests: shown,
        total,
        dropped,
        ...(total === 0 && all && { note: `No request matches. The project has received ${counted(all, "request")}.` }),
        ...(cursor !== undefined && {
          next: cursor,
          note: `The newest ${shown.length} of the matching requests before this point; ${total} match in all. Call again with before ${JSON.stringify(cursor)} for older ones.`,
        }),
      };
    },
  }),
  tool({
    name: "read_state",
    title: "Read the state",
    description:
      "Returns the resources of a project: the current ones of one `type`, or with `request` all before or after this request. `changes` of a request says which it changed.",
    input: closedObject(["project"], { project, type: ofType, request, side }),
    hints: reads,
    async run({ client, contract }, { project, type, request, side }) {
      if (request === undefined && side !== undefined) {
        throw new InvalidArguments("arguments: expected side with request, found it without");
      }
      if (request !== undefined && type !== undefined) {
        throw new InvalidArguments("arguments: expected type without request, found both");
      }
      if (request === undefined) requireType(contract, type);
      const { state, resources: current } = await existing(client, project);
      const resources = await (request === undefined ? current.list({ type }) : itemsIn(await state.at(request, side)));
      const shown = fitting(resources);
      const omitted = resources.length - shown.length;
      const note = `The first ${shown.length} resources. ${omitted} more are not shown.`;
      return { resources: shown, total: resources.length, ...noteOn(omitted, note) };
    },
  }),
  tool({
    name: "rewind",
    title: "Go back to an earlier state",
    description:
      "Restores the state of a project before or after a request, or at a moment. Settings, scenarios, clock and journal stay. `undo` is the moment before this call: call again with it to undo.",
    input: closedObject(["project"], {
      project,
      request,
      side,
      moment: { ...count, description: "`moment` or `undo` of an earlier result." },
    }),
    hints: deletes,
    async run({ client }, { project, request, side, moment }) {
      onlyOne({ request, moment });
      return (await existing(client, project)).rewind(request ?? moment ?? 0, side);
    },
  }),
  tool({
    name: "verify",
    title: "Verify requests",
    description: `Verifies which requests a project has received, such as { "match": { "operation": "${example}" }, "count": 1 }. By default, at least one request must match. \`pass\` is the verdict; if it is false, \`message\` and \`nearest\` show the nearest requests and their differences.`,
    input: closedObject(["project"], { project, ...Verification.properties }),
    hints: reads,
    async run({ client }, { project, ...expectation }) {
      const verdict = await (await existing(client, project)).verify(expectation);
      if (verdict.pass) return verdict;
      const shown = verdict.nearest.map(({ request, ...rest }) => ({ request: shortEntries([request])[0], ...rest }));
      const message = verdict.message.slice(0, MAX_RESULT / 4);
      return { ...verdict, message, nearest: fitting(shown) };
    },
  }),
  tool({
    name: "coverage",
    title: "Read the coverage",
    description:
      "Returns which operations, statuses and failures of the contract the requests have exercised. Missing failures show what a test suite has not tested.",
    input: closedObject([], { project: anyProject }),
    hints: reads,
    async run({ client }, { project }) {
      const report = await (project === undefined ? client : await existing(client, project)).coverage();
      // The totals have the number of operations.
      return bounded({ ...report, unused: report.unused.slice(0, MAX_SHOWN_ITEMS) });
    },
  }),
  tool({
    name: "reset",
    title: "Reset a project",
    description:
      "Returns a project to its initial state: deletes its resources, journal, coverage, scenarios, rules and tokens, and resets its settings and clock. Snapshots stay. `all` resets every project, also those of other users of the mock.",
    input: closedObject([], {
      project,
      all: { const: true, description: "Resets every project. Set `project` or `all`, not both." },
    }),
    hints: deletes,
    async run({ client }, { project, all }) {
      onlyOne({ project, all });
      await (project === undefined ? client : await existing(client, project)).reset();
      return { reset: project ?? "all projects" };
    },
  }),
];
