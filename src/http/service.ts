import { type Contract, cut, MAX_ID, nearestOperations, ServiceError } from "../contract/index.ts";
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
import { sendServed } from "./outgoing.ts";
import { routesOf, withoutPrefixes } from "./routes.ts";

/** Adds the operations of the interface to the app, and 404 for all other paths. */
export function addService(app: App, engine: Engine): void {
  for (const { pattern, prefixes, operations, allow } of routesOf(engine.contract.operations)) {
    // One handler serves all methods: Hono would dispatch HEAD (`checkResourceExists`) to the GET route
    // (`queryResources`).
    app.all(pattern, async (context) => {
      const path = withoutPrefixes(context.req.param() as Record<string, string>, prefixes);
      const request = incomingRequest(context);
      const { key, sandbox, error: keyError } = addressed(path.projectKey ?? "", request);
      if (keyError) return sendServed(context, refuse(engine, undefined, keyError, request));
      const operation = operations.get(request.method);
      if (!operation) {
        const error = methodNotAllowed(request.method, allow);
        return sendServed(context, await serveUnmatched(engine, key, error, request, sandbox));
      }
      return sendServed(context, await serve(engine, key, { operation, path, sandbox }, request));
    });
  }

  app.notFound(async (context) => {
    const request = incomingRequest(context);
    const [projectKey = "", ...rest] = segmentsOf(request.path);
    const { key, sandbox } = addressed(projectKey, request);
    const error = endpointNotFound(engine.contract, request);
    return sendServed(
      context,
      await serveUnmatched(engine, rest.length > 0 ? key : undefined, error, request, sandbox),
    );
  });
}

/**
 * Responds to a request that matches no operation: with the error, or with the response of the upstream. The error creates
 * no project, as browsers and health checks request paths of their own.
 */
async function serveUnmatched(
  engine: Engine,
  key: string | undefined,
  error: ServiceError,
  request: ServiceRequest,
  sandbox: SelectedSandbox | undefined,
): Promise<Served> {
  const { home, projects, settings, upstream } = engine;
  try {
    if (key === undefined) return refuse(engine, undefined, error, request, sandbox);
    const isToForward = () => isForwarded(engine, projects.find(key)?.settings ?? settings, request);
    const opened = upstream && (await home.step(key, () => (isToForward() ? projects.get(key) : undefined)));
    if (opened) return await forwardUnmatched(engine, opened, error, request, sandbox);
    return await home.step(key, () => refuse(engine, projects.find(key), error, request, sandbox));
  } catch (failure) {
    // The limit of projects is reached, or the store of shared projects cannot be reached.
    if (failure instanceof ServiceError) return refuse(engine, undefined, failure, request);
    throw failure;
  }
}

/** The project that a request addresses: its key, and the sandbox that the headers select; or the error of its key. */
type Addressed =
  | { readonly key: string; readonly sandbox?: SelectedSandbox; readonly error?: undefined }
  | { readonly key?: undefined; readonly sandbox?: undefined; readonly error: ServiceError };

/** Returns the project for the project key in the path and the headers of the request. */
function addressed(pathKey: string, { headers }: ServiceRequest): Addressed {
  const error = projectKeyProblem(pathKey, true);
  if (error) return { error };
  try {
    const sandbox = selectedSandbox(headers);
    if (!sandbox) return { key: pathKey };
    const key = sandboxKey(pathKey, sandbox.name);
    return key.length > MAX_ID ? { error: longKey(pathKey, sandbox) } : { key, sandbox };
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
}

function longKey(pathKey: string, { name }: SelectedSandbox): ServiceError {
  const most = MAX_ID - sandboxKey("", name).length;
  const message = `projectKey: expected at most ${most} characters with the sandbox "${name}", found ${pathKey.length}`;
  return new ServiceError({ code: "InvalidField", message, field: "projectKey" });
}

export function methodNotAllowed(method: string, allow: string): ServiceError {
  const message = `Method: expected ${allow.includes(",") ? "one of " : ""}${allow} for this path, found ${method}`;
  return new ServiceError({ code: "MethodNotAllowed", message }, { Allow: allow });
}

function endpointNotFound({ operations }: Contract, { method, path }: ServiceRequest): ServiceError {
  // `oauth` is a reserved project key, so a path below it is meant for an OAuth endpoint.
  const nearest = /^\/oauth(\/|$)/.test(path)
    ? Object.keys(oauthEndpoints).map((endpoint) => `POST ${endpoint}`)
    : nearestOperations(operations, method, path).map((operation) => `${operation.method} ${operation.path}`);
  return new ServiceError({
    code: "EndpointNotFound",
    message: `No operation matches ${method} ${cut(path, 100)}. Nearest: ${nearest.join(", ")}`,
    nearest,
  });
}

function segmentsOf(path: string): string[] {
  return path
    .slice(1)
    .split("/")
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });
}
