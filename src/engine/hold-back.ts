import type { Call } from "../call/call.ts";
import { ClientGone } from "../call/slice.ts";
import { projectEnded } from "../projects/project.ts";
import type { Given } from "../scenarios/choose.ts";
import { sampleLatency } from "../scenarios/latency.ts";
import type { Latency } from "../settings/settings.ts";

/**
 * Holds the answer back for the latency that a rule gives, else the settings; a server that stops goes on at once.
 * Throws ServiceUnavailable when the project was reset or closed meanwhile, and ClientGone when the client went away.
 */
export async function holdBack(call: Call, given: Given<Latency> | undefined): Promise<void> {
  const { engine, project, request, settings, decisions } = call;
  const latency = given ? given.effect : settings.latency;
  if (latency === null) return;
  const ms = sampleLatency(latency, project.random);
  decisions.push(`${given?.label ?? "the setting latency"} held the answer back for ${ms} ms`);
  if (ms === 0) return;
  const client = request.signal();
  await engine.wait(ms, project.ended, client, engine.stopping);
  if (project.hasEnded) throw projectEnded(project);
  if (client.aborted) {
    decisions.push("the client went away meanwhile: the request was not handled");
    throw new ClientGone();
  }
}
