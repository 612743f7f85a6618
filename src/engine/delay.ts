import type { Call } from "../call/call.ts";
import { ClientGone } from "../call/slice.ts";
import { projectEnded } from "../projects/project.ts";
import type { ChosenEffect } from "../scenarios/choose.ts";
import { sampleLatency } from "../scenarios/latency.ts";
import type { Latency } from "../settings/settings.ts";

/**
 * Delays the response by the latency of a rule, or by the setting `latency`. A server that stops ends the delay.
 * Throws ServiceUnavailable if the project is reset or closed meanwhile, and ClientGone if the client disconnects.
 */
export async function delayResponse(call: Call, chosen: ChosenEffect<Latency> | undefined): Promise<void> {
  const { engine, project, request, settings, decisions } = call;
  const latency = chosen ? chosen.effect : settings.latency;
  if (latency === null) return;
  const ms = sampleLatency(latency, project.random);
  decisions.push(`${chosen?.label ?? "the setting latency"} delayed the response by ${ms} ms`);
  if (ms === 0) return;
  call.delayed += ms;
  const client = request.signal();
  await engine.wait(ms, project.ended, client, engine.stopping);
  if (project.hasEnded) throw projectEnded(project);
  if (client.aborted) {
    decisions.push("the client disconnected: the request was not handled");
    throw new ClientGone();
  }
}
