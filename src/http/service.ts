import {
  cut,
  DEFAULT_PROJECT,
  invalidField,
  MAX_ID,
  methodNotAllowed,
  nearestOperations,
  ServiceError,
  slashHint,
} from "../contract/index.ts";
import {
  type Engine,
  forwardUnmatched,
  isForwarded,
  oauthEndpoints,
  refuse,
  type Served,
  type ServiceRequest,
  serve,
} from "../engine/index.ts";
import { projectKeyProblem } from "../project/index.ts";
import { type SelectedSandbox, sandboxKey, selectedSandbox } from "../state/index.ts";
import { type App, incomingRequest } from "./incoming.ts";
import { serveOAuth } from "./oauth.ts";
import { sendServed } from "./outgoing.ts";

/** Adds one route for all requests to the service. The app has others for the control API and the OAuth endpoints. */
export function addService(app: App, engine: Engine): void {
  app.notFound(async (context) => {
    const request = incomingRequest(context);
    const { addressing } = engine;
    const { projectKey, base, route, segments } = addressing.find(request.method, request.path);
    const { key, sandbox, error: keyError } = addressed(projectKey ?? "", request);
    if (keyError && route) return sendServed(context, refuse(engine, "", keyError, request));
    const isTokenPath = () => engine.contract.tokens.paths.includes(`/${segments.join("/")}`);
    if (!route && request.method === "POST" && isTokenPath()) return serveOAuth(engine, context, projectKey);
    if (!route) {
      const error = endpointNotFound(engine, segments, request);
      return sendServed(context, await serveUnmatched(engine, key, error, request, sandbox));
    }
    if (route.operation && key !== undefined) {
      const { operation, path } = route;
      return sendServed(context, await serve(engine, key, { operation, path, base, sandbox }, request));
    }
    const error = methodNotAllowed(request.method, (route.allow ?? []).join(", "));
    return sendServed(context, await serveUnmatched(engine, key, error, request, sandbox));
  });
}

/**
 * Responds to a request that matches no operation: with the error, or with the response of the upstream. The error creates
 * no project but that of paths without a project, as browsers and health checks request paths of their own.
 */
async function serveUnmatched(
  engine: Engine,
  key: string | undefined,
  error: ServiceError,
  request: ServiceRequest,
  sandbox: SelectedSandbox | undefined,
): Promise<Served> {
  const { home, projects, settings, upstream, contract } = engine;
  try {
    if (key === undefined) return refuse(engine, "", error, request, sandbox);
    const isToForward = () => isForwarded(engine, projects.find(key)?.settings ?? settings, request);
    const opened = upstream && (await home.step(key, () => (isToForward() ? projects.get(key) : undefined)));
    if (opened) return await forwardUnmatched(engine, opened, error, request, sandbox);
    const isKnown = () => contract.addresses.project !== undefined || projects.find(key) !== undefined;
    const refused = await home.step(key, () => (isKnown() ? refuse(engine, key, error, request, sandbox) : undefined));
    if (refused) return refused;
    const inDefault = () => refuse(engine, projects.get(DEFAULT_PROJECT).key, error, request, sandbox);
    return await home.step(DEFAULT_PROJECT, inDefault);
  } catch (failure) {
    // The limit of projects is reached, or the store of shared projects cannot be reached.
    if (failure instanceof ServiceError) return refuse(engine, "", failure, request);
    throw failure;
  }
}

/** Returns the key of the project that a request addresses, and the sandbox that the headers select; or the error of its key. */
function addressed(pathKey: string, { headers }: ServiceRequest) {
  const error = projectKeyProblem(pathKey, true);
  if (error) return { error };
  try {
    const sandbox = selectedSandbox(headers);
    if (!sandbox) return { key: pathKey };
    const key = sandboxKey(pathKey, sandbox.name);
    if (key.length <= MAX_ID) return { key, sandbox };
    const expected = `at most ${MAX_ID - sandboxKey("", sandbox.name).length} characters with the sandbox "${sandbox.name}"`;
    throw new ServiceError(invalidField("projectKey", `expected ${expected}, found ${pathKey.length}`));
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
}

/** The most operations that are compared with an unknown path. */
const COMPARED = 30;

function endpointNotFound(
  { contract, addressing }: Engine,
  segments: readonly string[],
  { method, path }: ServiceRequest,
): ServiceError {
  // `oauth` is a reserved project key, so a path below it is meant for an OAuth endpoint.
  const endpoints = /^\/oauth(\/|$)/.test(path)
    ? Object.keys(oauthEndpoints).map((endpoint) => ({ method: "POST", path: endpoint }))
    : undefined;
  const { operations } = contract;
  const compared = operations.length > COMPARED ? addressing.trie.near(segments, COMPARED) : operations;
  const below = contract.addresses.project === undefined ? `/${segments.join("/")}` : path;
  const near = endpoints ?? nearestOperations(compared, method, below);
  const nearest = near.map((each) => `${each.method} ${each.path}`);
  const hint = slashHint(endpoints ?? compared, path);
  const message = `No operation matches ${method} ${cut(path, 100)}.${hint} Nearest: ${nearest.join(", ")}`;
  return new ServiceError({ code: "EndpointNotFound", message, nearest });
}
