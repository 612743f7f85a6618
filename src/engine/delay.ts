import { projectEnded } from "../project/index.ts";
import { type ChosenEffect, sampleLatency } from "../rules/index.ts";
import type { Latency } from "../state/index.ts";
import type { Call } from "./call/call.ts";
import { ClientGone } from "./call/slice.ts";

/** Chooses the delay of the response by the latency of a rule, or by the setting `latency`; in milliseconds. */
export function chooseDelay(call: Call, chosen: ChosenEffect<Latency> | undefined): number {
  const { project, settings, decisions } = call;
  const latency = chosen ? chosen.effect : settings.latency;
  if (latency === null) return 0;
  const ms = sampleLatency(latency, () => project.random());
  decisions.push(`${chosen?.label ?? "the setting latency"} delayed the response by ${ms} ms`);
  call.delayed += ms;
  return ms;
}

/**
 * Waits for the chosen delay. A server that stops ends the delay.
 * Throws ServiceUnavailable if the project is reset or deleted meanwhile, and ClientGone if the client disconnects.
 */
export async function delayResponse({ engine, project, request, decisions }: Call, ms: number): Promise<void> {
  const client = request.signal();
  await engine.wait(ms, project.ended, client, engine.stopping);
  if (project.hasEnded) throw projectEnded(project);
  if (client.aborted) {
    decisions.push("the client disconnected: the request was not handled");
    throw new ClientGone();
  }
}
