import { contentTooLarge } from "../call/body.ts";
import type { Call } from "../call/call.ts";
import { header, type ServiceRequest } from "../call/request.ts";
import { errorResponse } from "../call/response.ts";
import { ServiceError } from "../contract/service-error.ts";
import { delayResponse } from "./delay.ts";
import type { Engine } from "./engine.ts";
import type { Served } from "./journal.ts";
import { bodyLimit, receiveBody } from "./receive.ts";
import { type Addressed, beginServing, decide, fail, finishServing, openCall, respond, type Serving } from "./serve.ts";
import type { Sharing } from "./sharing.ts";

/**
 * Handles a request to an operation like `serve`, on a project that other processes share. The steps that use the project
 * run again if another process has changed it meanwhile. Receiving the body, a delay and a call of the upstream hold up
 * no other request. Never rejects.
 */
export async function serveShared(
  engine: Engine,
  sharing: Sharing,
  projectKey: string,
  addressed: Addressed,
  request: ServiceRequest,
): Promise<Served> {
  try {
    const received = await receive(engine, sharing, projectKey, addressed, request);
    let held: Serving | undefined;
    const served = await sharing.inProject(projectKey, async () => {
      held = undefined;
      const serving = beginServing(engine, engine.projects.get(projectKey), addressed, request);
      try {
        received.check(serving.call);
        await decide(serving);
        if (serving.delay > 0 || serving.call.forwarding) {
          serving.call.project.touch();
          held = serving;
          return undefined;
        }
        serving.response = await respond(serving);
      } catch (error) {
        fail(serving, error);
      }
      return finishServing(serving);
    });
    return served ?? (await finishHeld(sharing, held as Serving));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { response: errorResponse(error), requestId: "none" };
  }
}

/** Delays the response or calls the upstream, and then continues in a second step. */
async function finishHeld(sharing: Sharing, held: Serving): Promise<Served> {
  const { call, delay } = held;
  const release = sharing.keep(call.project);
  const end = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  try {
    if (delay > 0) {
      // A reset by another process ends the delay too.
      await sharing.follow(call.project.key, end.signal);
      await sharing.inProject(call.project.key, () => undefined);
      await delayResponse(call, delay);
    }
    if (call.forwarding) held.response = await respond(held);
  } catch (error) {
    failure = { error };
  } finally {
    end.abort();
  }
  try {
    return await sharing.inProject(call.project.key, async () => {
      // Each run of the step starts with the decisions of the first step.
      const decisions = [...call.decisions];
      const author = { ...call.author };
      const serving = { ...held, call: { ...call, author, decisions, violations: [...call.violations] } };
      try {
        if (failure) throw failure.error;
        serving.response ??= await respond(serving);
      } catch (error) {
        fail(serving, error);
      }
      return finishServing(serving);
    });
  } finally {
    release();
  }
}

/** A received body, for each run of a step. */
interface Received {
  /** Sets the body in the call. Throws the error of receiving it. */
  check(call: Call): void;
}

const noBody: Received = { check() {} };

/** Receives the body before the first step, as a client can send it slowly. */
async function receive(
  engine: Engine,
  sharing: Sharing,
  projectKey: string,
  { operation, path }: Addressed,
  request: ServiceRequest,
): Promise<Received> {
  const { projects, settings, upstream } = engine;
  if (!operation.body && !upstream) return noBody;
  const setting = bodyLimit(operation);
  // The limit may have been raised by another process.
  const length = Number(header(request, "content-length"));
  const known = projects.find(projectKey)?.settings ?? settings;
  if (!(length <= known[setting]) || upstream) await sharing.inProject(projectKey, () => undefined);
  const received = openCall(engine, projects.peek(projectKey), operation, path, request);
  let failure: { readonly error: unknown } | undefined;
  try {
    if (operation.body || received.forwarding) await receiveBody(received);
  } catch (error) {
    failure = { error };
  }
  const { bytes, json, refusal, forwarding } = received;
  return {
    check(call) {
      if (failure) throw failure.error;
      Object.assign(call, { bytes, json, refusal, forwarding });
      const limit = call.settings[setting];
      if (!forwarding && bytes.length > limit) throw contentTooLarge(setting, limit, bytes.length);
    },
  };
}
