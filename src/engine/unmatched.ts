import type { Operation, ServiceError } from "../contract/index.ts";
import type { Decision } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import type { SelectedSandbox, Settings } from "../state/index.ts";
import { dropRest, openCall, violate } from "./call/call.ts";
import { errorResponse } from "./call/response.ts";
import type { ServiceRequest } from "./call/service-request.ts";
import type { Engine } from "./engine.ts";
import { receiveBody } from "./receive.ts";
import { arrivalIn, record, type Served, startIn } from "./record-exchange.ts";
import { failureResponse, operate, rejection } from "./serve-request.ts";
import { noEffects } from "./steering.ts";

/** Requests that match no operation: an unknown path (404) or a wrong method (405). */

/** Responds with the error. The journal records the request if there is a project. */
export function refuse(
  engine: Engine,
  project: Project | undefined,
  error: ServiceError,
  request: ServiceRequest,
  sandbox?: SelectedSandbox,
): Served {
  const response = errorResponse(error);
  if (!project) return { response, requestId: "none" };
  const decisions: Decision[] = sandbox ? [{ kind: "sandbox", ...sandbox }] : [];
  decisions.push(rejection(error));
  return record(engine, project, request, response, arrivalIn(engine, project, startIn(engine)), { decisions });
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
  const arrival = arrivalIn(engine, project, startIn(engine));
  const call = openCall(engine, project, { operation: unmatched, path: {}, sandbox }, request);
  let response: ServiceResponse;
  try {
    await receiveBody(call);
    violate(call, error.details);
    response = await operate(call, noEffects);
  } catch (failure) {
    response = failureResponse(engine, call, failure);
  }
  dropRest(call);
  return engine.home.step(project.key, () =>
    record(engine, project, request, response, arrival, { ...call, operation: undefined }),
  );
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
  scopes: [],
};
