import type { Operation, ServiceError } from "../contract/index.ts";
import type { Decision } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { SelectedSandbox, Settings } from "../state/index.ts";
import { arrivalIn, dropRest, openCall, responseOf, violate } from "./call/call.ts";
import { errorResponse } from "./call/response.ts";
import type { ServiceRequest } from "./call/service-request.ts";
import type { Engine } from "./engine.ts";
import { receiveBody } from "./receive.ts";
import { record, type Served, startIn, unrecorded } from "./record-exchange.ts";
import { attempt, rejection, respond } from "./serve-request.ts";

/** Requests that match no operation: an unknown path (404) or a wrong method (405). */

/** Responds with the error. The journal records the request if there is a project. */
export function refuse(
  engine: Engine,
  projectKey: string,
  error: ServiceError,
  request: ServiceRequest,
  sandbox?: SelectedSandbox,
): Served {
  const project = engine.projects.find(projectKey);
  if (!project) return unrecorded(engine, projectKey, error);
  const decisions: Decision[] = sandbox ? [{ kind: "sandbox", ...sandbox }] : [];
  decisions.push(rejection(error));
  const arrival = arrivalIn(engine, project, startIn(engine));
  return record({ engine, project, request, arrival, decisions }, errorResponse(engine.contract, error));
}

/** The methods that are forwarded without an operation. The response to TRACE would contain the sent credentials. */
const forwardedMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns whether the settings send a request that matches no operation to the upstream. */
export function isForwarded({ upstream }: Engine, { upstreamMode }: Settings, { method }: ServiceRequest): boolean {
  return upstream !== undefined && upstreamMode !== "off" && forwardedMethods.has(method);
}

/** Sends a request without an operation to the upstream: the real service can have more than the contract. Never rejects. */
export async function forwardUnmatched(
  engine: Engine,
  project: Project,
  error: ServiceError,
  request: ServiceRequest,
  sandbox?: SelectedSandbox,
): Promise<Served> {
  const call = openCall(engine, project, { operation: unmatched, path: {}, sandbox }, request, startIn(engine));
  await attempt(call, async () => {
    await receiveBody(call);
    violate(call, error.details);
    await respond(call);
  });
  dropRest(call);
  return engine.home.step(project.key, () => record({ ...call, operation: undefined }, responseOf(call)));
}

/** In place of the operation of a request that matches none. It declares no responses, so none violates the contract. */
const unmatched: Operation = {
  id: "unmatched",
  method: "GET",
  path: "",
  tag: "",
  summary: "",
  parameters: [],
  responses: {},
};
