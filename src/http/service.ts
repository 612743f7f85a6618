import { oauthEndpoints } from "../auth/token-endpoint.ts";
import type { ServiceRequest } from "../call/request.ts";
import type { Contract } from "../contract/contract.ts";
import { nearestOperations } from "../contract/nearest.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Engine } from "../engine/engine.ts";
import { refuse, serve } from "../engine/serve.ts";
import { projectKeyProblem } from "../projects/projects.ts";
import { cut } from "../text/shown.ts";
import { type App, incomingRequest } from "./incoming.ts";
import { sendServed } from "./outgoing.ts";
import { routesOf } from "./routes.ts";

/** Adds the interface's operations to the app, and an answer for every other path. */
export function addService(app: App, engine: Engine): void {
  for (const { pattern, prefixes, operations, allow } of routesOf(engine.contract.operations)) {
    // One handler for all methods: Hono would dispatch HEAD through a GET route, and operation 5 is not operation 1.
    app.all(pattern, async (context) => {
      const path = withoutPrefixes(context.req.param() as Record<string, string>, prefixes);
      const { projectKey = "" } = path;
      const request = incomingRequest(context);
      const keyProblem = projectKeyProblem(projectKey);
      if (keyProblem) return sendServed(context, refuse(engine, undefined, keyProblem, request));
      const project = engine.projects.get(projectKey);
      const operation = operations.get(request.method);
      return sendServed(
        context,
        operation
          ? await serve(engine, project, { operation, path }, request)
          : refuse(engine, project, methodNotAllowed(request.method, allow), request),
      );
    });
  }

  app.notFound((context) => {
    const request = incomingRequest(context);
    const [projectKey, ...rest] = segmentsOf(request.path);
    const usable = projectKey && rest.length > 0 && !projectKeyProblem(projectKey);
    const error = endpointNotFound(engine.contract, request);
    return sendServed(context, refuse(engine, usable ? engine.projects.get(projectKey) : undefined, error, request));
  });
}

function withoutPrefixes(path: Record<string, string>, prefixes: Readonly<Record<string, string>>) {
  for (const name in prefixes) path[name] = path[name]?.slice(prefixes[name]?.length) ?? "";
  return path;
}

export function methodNotAllowed(method: string, allow: string): ServiceError {
  const message = `${method} is not served at this path; ${allow.includes(",") ? "these are" : "this is"}: ${allow}`;
  return new ServiceError({ code: "MethodNotAllowed", message }, { Allow: allow });
}

function endpointNotFound({ operations }: Contract, { method, path }: ServiceRequest): ServiceError {
  // No project may have the key `oauth`: whoever asks below it is after an endpoint.
  const nearest = /^\/oauth(\/|$)/.test(path)
    ? Object.keys(oauthEndpoints).map((endpoint) => `POST ${endpoint}`)
    : nearestOperations(operations, method, path).map((operation) => `${operation.method} ${operation.path}`);
  return new ServiceError({
    code: "EndpointNotFound",
    message: `${method} ${cut(path, 100)} is not an operation of the interface. Nearest: ${nearest.join(", ")}`,
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
