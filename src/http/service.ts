import { oauthEndpoints } from "../auth/token-endpoint.ts";
import type { ServiceRequest } from "../call/request.ts";
import type { Contract } from "../contract/contract.ts";
import { nearestOperations } from "../contract/nearest.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Engine } from "../engine/engine.ts";
import { refuse, serve } from "../engine/serve.ts";
import type { Project } from "../projects/project.ts";
import { projectKeyProblem } from "../projects/projects.ts";
import { cut } from "../text/shown.ts";
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
      const { projectKey = "" } = path;
      const request = incomingRequest(context);
      const keyProblem = projectKeyProblem(projectKey);
      if (keyProblem) return sendServed(context, refuse(engine, undefined, keyProblem, request));
      const operation = operations.get(request.method);
      if (!operation) {
        const error = methodNotAllowed(request.method, allow);
        return sendServed(context, refuse(engine, engine.projects.find(projectKey), error, request));
      }
      const { project, error } = projectOf(engine, projectKey);
      if (!project) return sendServed(context, refuse(engine, undefined, error, request));
      return sendServed(context, await serve(engine, project, { operation, path }, request));
    });
  }

  app.notFound((context) => {
    const request = incomingRequest(context);
    const [projectKey = "", ...rest] = segmentsOf(request.path);
    // An unknown path creates no project, as browsers and health checks request paths of their own.
    const project = rest.length > 0 ? engine.projects.find(projectKey) : undefined;
    return sendServed(context, refuse(engine, project, endpointNotFound(engine.contract, request), request));
  });
}

/**
 * Returns the project with this key, and creates it if it does not exist; or the error if the limit of projects is
 * reached.
 */
function projectOf(
  engine: Engine,
  projectKey: string,
): { project: Project; error?: undefined } | { project?: undefined; error: ServiceError } {
  try {
    return { project: engine.projects.get(projectKey) };
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
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
