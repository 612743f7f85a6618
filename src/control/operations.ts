import type { Schema } from "../contract/schema.ts";
import { CoverageReport } from "../journal/coverage.ts";
import { Activation } from "../scenarios/scenario.ts";
import {
  always,
  type ControlOperation,
  changing,
  type DescribedOperation,
  inProject,
  json,
  jsonBody,
  nothing,
  paging,
  pathParameter,
  problem,
  projectKey,
  takingBody,
} from "./operation.ts";
import { operationsInProject } from "./project-operations.ts";
import {
  ActiveScenario,
  Health,
  KnownScenario,
  listOf,
  ProjectSummary,
  ProviderState,
  ProviderStateValues,
} from "./schemas.ts";

const AnyDocument = { type: "object", description: "An OpenAPI 3.1 document." } as const satisfies Schema;
const EventStream = {
  type: "string",
  description:
    "Events `request`, `state`, `scenario` and `reset` with JSON data. A reader that comes back with Last-Event-ID gets what it missed, if it is still kept.",
} as const satisfies Schema;
const Page = { type: "string", description: "One document, which loads nothing else." } as const satisfies Schema;

/** How many projects a list holds. */
export const PROJECT_PAGE = { default: 500, maximum: 10_000 };

const scenarioName = pathParameter("name", "The scenario's name.");
const events = json("Server-sent events, until the client goes away or the server stops.", EventStream, {
  mediaType: "text/event-stream",
});
const coverage = json("The coverage.", CoverageReport, { textType: "text/plain" });

/** The operations that belong to no project, or are about one as a whole. */
export const operationsOfServer = [
  {
    id: "getHealth",
    method: "GET",
    path: "/__admin/health",
    tag: "server",
    summary: "Whether the server is well",
    description: "Open to everybody, with an admin token too.",
    isOpen: true,
    parameters: [],
    responses: { 200: json("It is.", Health), 400: always[400], 503: json("It is stopping.", Health) },
  },
  {
    id: "getDashboard",
    method: "GET",
    path: "/__admin/ui",
    tag: "server",
    summary: "The dashboard: a page to look at projects and to drive them by hand",
    description:
      "Open to everybody, with an admin token too, as a browser cannot send one with the address: the page holds nothing of any project, and asks for the token. A browser that opens `/` is led here.",
    isOpen: true,
    parameters: [],
    responses: { 200: json("The page.", Page, { mediaType: "text/html" }), 400: always[400] },
  },
  {
    id: "getContract",
    method: "GET",
    path: "/__admin/contract.json",
    tag: "server",
    summary: "The contract of the service",
    parameters: [],
    responses: { 200: json("The contract, with the fixtures as examples.", AnyDocument), ...always },
  },
  {
    id: "getControlApi",
    method: "GET",
    path: "/__admin/openapi.json",
    tag: "server",
    summary: "The control API, as OpenAPI 3.1",
    parameters: [],
    responses: { 200: json("The document.", AnyDocument), ...always },
  },
  {
    id: "resetAll",
    method: "POST",
    path: "/__admin/reset",
    tag: "server",
    summary: "Put every project back to its beginning",
    description:
      "As a project's own reset does, for all of them; and the scenarios that are on for all are those of the start.",
    parameters: [],
    responses: { 204: nothing, ...always, ...takingBody },
  },
  {
    id: "getCoverage",
    method: "GET",
    path: "/__admin/coverage",
    tag: "journal",
    summary: "What of the contract all projects have exercised",
    description: "Projects that have been reset or closed are counted too; a reset of all begins anew.",
    parameters: [],
    responses: { 200: coverage, ...always },
  },
  {
    id: "streamEvents",
    method: "GET",
    path: "/__admin/events",
    tag: "events",
    summary: "What happens, in all projects",
    parameters: [],
    responses: { 200: events, ...always },
  },
  {
    id: "listScenarios",
    method: "GET",
    path: "/__admin/scenarios",
    tag: "scenarios",
    summary: "The scenarios there are, and which are on for all projects",
    parameters: [],
    responses: { 200: json("The scenarios.", listOf("scenarios", KnownScenario)), ...always },
  },
  {
    id: "turnOnForAll",
    method: "PUT",
    path: "/__admin/scenarios/{name}",
    tag: "scenarios",
    summary: "Turn a scenario on for all projects",
    parameters: [scenarioName],
    body: jsonBody(Activation, false),
    responses: {
      200: json("The scenario, as it is on.", ActiveScenario),
      404: problem("There is no such scenario."),
      ...always,
      ...takingBody,
    },
  },
  {
    id: "turnOffForAll",
    method: "DELETE",
    path: "/__admin/scenarios/{name}",
    tag: "scenarios",
    summary: "Turn a scenario off for all projects",
    parameters: [scenarioName],
    responses: { 204: nothing, 404: problem("There is no such scenario."), ...always, ...changing },
  },
  {
    id: "listProjects",
    method: "GET",
    path: "/__admin/projects",
    tag: "projects",
    summary: "The projects that have been used, in the order of their first use",
    parameters: paging(PROJECT_PAGE),
    responses: { 200: json("The projects.", listOf("projects", ProjectSummary)), ...always },
  },
  {
    id: "getProject",
    method: "GET",
    path: "/__admin/projects/{projectKey}",
    tag: "projects",
    summary: "A project in a few figures",
    parameters: [projectKey],
    responses: { 200: json("The project.", ProjectSummary), 404: problem("Nobody has used it."), ...always },
  },
  {
    id: "closeProject",
    method: "DELETE",
    path: "/__admin/projects/{projectKey}",
    tag: "projects",
    summary: "Close a project: forget all of it, its snapshots too",
    description:
      "Requests that are under way are answered 503 and leave no trace. Closing what is not there is no error.",
    parameters: [projectKey],
    responses: { 204: nothing, 404: inProject[404], ...always, ...changing },
  },
  {
    id: "resetProject",
    method: "POST",
    path: "/__admin/projects/{projectKey}/reset",
    tag: "projects",
    summary: "Put a project back to its beginning",
    description:
      "State, scenarios, rules, journal, coverage, clock, settings and tokens; snapshots stay. Requests that are under way are answered 503 and leave no trace.",
    parameters: [projectKey],
    responses: { 204: nothing, 404: inProject[404], ...always, ...takingBody },
  },
  {
    id: "streamProjectEvents",
    method: "GET",
    path: "/__admin/projects/{projectKey}/events",
    tag: "events",
    summary: "What happens in a project",
    description: "The stream goes on when the project is reset or closed.",
    parameters: [projectKey],
    responses: { 200: events, 404: inProject[404], ...always },
  },
  {
    id: "setProviderState",
    method: "POST",
    path: "/__admin/provider-states",
    tag: "provider states",
    summary: "Set up, or tear down, a provider state for Pact's verifier",
    description:
      'The state is a scenario\'s name: turned on in the `project` (or `projectKey`) that `params` names (with its `times` and `probability`), or for all, and off again at teardown. Or one of: "a resource exists" (`params`: id, key and further fields of the resource; removed again at teardown), "no resource exists" (with id or key: that one is 404; without, the project has none). An empty state does nothing.',
    parameters: [],
    body: jsonBody(ProviderState),
    responses: {
      200: json("Values of the state, for the pact's generators.", ProviderStateValues),
      404: problem("There is no such state."),
      409: problem("The resource's key is another's."),
      503: inProject[503],
      ...always,
      ...takingBody,
    },
  },
] as const satisfies readonly DescribedOperation[];

export type ServerOperationId = (typeof operationsOfServer)[number]["id"];

/** Every operation of the control API. */
export const controlOperations: readonly ControlOperation[] = [...operationsOfServer, ...operationsInProject].map(
  (operation: DescribedOperation) => ({ ...operation, scopes: [] }),
);
