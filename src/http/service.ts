import {
  type Contract,
  cut,
  MAX_ID,
  nearestOperations,
  type Operation,
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
import { percentDecoded, type SelectedSandbox, sandboxKey, selectedSandbox } from "../state/index.ts";
import { type App, incomingRequest } from "./incoming.ts";
import { sendServed } from "./outgoing.ts";

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
    const [, segment = "", rest] = request.path.split("/", 3);
    const { key, sandbox } = addressed(percentDecoded(segment), request);
    const error = endpointNotFound(engine.contract, request);
    const projectKey = rest === undefined ? undefined : key;
    return sendServed(context, await serveUnmatched(engine, projectKey, error, request, sandbox));
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
type ProjectAddress =
  | { readonly key: string; readonly sandbox?: SelectedSandbox; readonly error?: undefined }
  | { readonly key?: undefined; readonly sandbox?: undefined; readonly error: ServiceError };

/** Returns the project for the project key in the path and the headers of the request. */
function addressed(pathKey: string, { headers }: ServiceRequest): ProjectAddress {
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
  const endpoints = /^\/oauth(\/|$)/.test(path)
    ? Object.keys(oauthEndpoints).map((endpoint) => ({ method: "POST", path: endpoint }))
    : undefined;
  const nearest = (endpoints ?? nearestOperations(operations, method, path)).map(
    (each) => `${each.method} ${each.path}`,
  );
  const hint = slashHint(endpoints ?? operations, path);
  return new ServiceError({
    code: "EndpointNotFound",
    message: `No operation matches ${method} ${cut(path, 100)}.${hint} Nearest: ${nearest.join(", ")}`,
    nearest,
  });
}

/**
 * Returns one route per path of the operation table: its operations by method, and its methods as the `Allow` header lists
 * them. Routes with more literal segments come first, so that a literal segment wins over a parameter for every method.
 */
export function routesOf<Op extends Operation>(operations: readonly Op[]) {
  const paths = Map.groupBy(operations, (operation) => operation.path);
  return [...paths]
    .map(([template, ofPath]) => ({
      looseness: loosenessOf(template),
      ...honoPattern(template),
      operations: new Map(ofPath.map((operation) => [operation.method as string, operation])),
      allow: ofPath.map((operation) => operation.method).join(", "),
    }))
    .sort((a, b) => a.looseness - b.looseness);
}

/**
 * Returns the pattern of a path template for Hono: `/x/:key{key(?:=|%3[Dd])[^/]*}` for `/x/key={key}`. A parameter in
 * Hono fills a whole segment, so the pattern of the parameter includes the literal text. Some clients encode the whole
 * segment, so `%3D` matches too. `prefixes` has the literal text by parameter.
 */
function honoPattern(template: string): { pattern: string; prefixes: Record<string, string> } {
  const prefixes: Record<string, string> = {};
  const segments = template.split("/").map((segment) => {
    const [, literal, name] = /^([^{]*)\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined) return segment;
    if (!literal) return `:${name}`;
    prefixes[name] = literal;
    // `.*` would not match line breaks, which a percent-encoded value can contain.
    return `:${name}{${literal.replace("=", "(?:=|%3[Dd])")}[^/]*}`;
  });
  return { pattern: segments.join("/"), prefixes };
}

/** Removes the literal text before parameters from their values. Hono has decoded the values where possible. */
function withoutPrefixes(path: Record<string, string>, prefixes: Readonly<Record<string, string>>) {
  for (const [name, prefix] of Object.entries(prefixes)) {
    const value = path[name] ?? "";
    // If the value contains bytes that are not UTF-8, Hono does not decode `%3D`.
    path[name] = value.slice(value.startsWith(prefix) ? prefix.length : prefix.length + "%3D".length - "=".length);
  }
  return path;
}

/** Returns a sort key: 2 for each parameter that fills a segment, 1 for each parameter after literal text. */
function loosenessOf(template: string): number {
  return template
    .split("/")
    .reduce((sum, segment) => sum + (segment.startsWith("{") ? 2 : segment.includes("{") ? 1 : 0), 0);
}
