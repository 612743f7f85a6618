import type { Random } from "../project/index.ts";
import type { Fault } from "../rules/index.ts";
import type { Call } from "./call/call.ts";
import { type BrokenDelivery, noResponse, type ServiceResponse } from "./call/response.ts";
import type { CallEffects } from "./steering.ts";

/** The faults that replace the response: the operation does not run. The other faults break its response. */
const replacing: ReadonlySet<Fault> = new Set<Fault>([
  "CONNECTION_RESET_BY_PEER",
  "EMPTY_RESPONSE",
  "RANDOM_DATA_THEN_CLOSE",
]);

/** Returns the broken connection that replaces the response; undefined if the operation runs. */
export function faultResponse({ project }: Call, { ending }: CallEffects): ServiceResponse | undefined {
  const fault = ending?.effect.fault;
  if (!fault || !replacing.has(fault)) return undefined;
  return noResponse(
    ending.source,
    broken(fault, () => project.random()),
  );
}

/** Returns the response with the effects on its delivery: `Preference-Applied`, a fault or chunks. */
export function delivered(call: Call, response: ServiceResponse, effects: CallEffects): ServiceResponse {
  const { engine, project } = call;
  const { applied, ending, dribble } = effects;
  if (response.status === 0) return response;
  const headers = applied === undefined ? response.headers : { ...response.headers, "Preference-Applied": applied };
  // Only a body that is too large for effects still arrives.
  if (response.delivery) return { ...response, headers };
  const fault = ending?.effect.fault;
  if (fault) return { ...response, headers, source: ending.source, delivery: broken(fault, () => project.random()) };
  if (!dribble || response.body === null) return { ...response, headers };
  const { numberOfChunks, totalDuration } = dribble.effect;
  call.delayed += totalDuration;
  const pause = (gone: AbortSignal) =>
    engine.wait(totalDuration / numberOfChunks, gone, project.ended, engine.stopping);
  return { ...response, headers, delivery: { chunks: numberOfChunks, pause } };
}

/** The number of random bytes that a fault sends. */
const NOISE = 64;
const NO_NOISE = new Uint8Array(0);

function broken(fault: Fault, random: Random): BrokenDelivery {
  if (fault !== "RANDOM_DATA_THEN_CLOSE" && fault !== "MALFORMED_RESPONSE_CHUNK") return { fault, noise: NO_NOISE };
  const noise = Uint8Array.from({ length: NOISE }, () => Math.floor(random() * 256));
  // Neither an HTTP version nor a chunk size starts with this byte, so the bytes are always invalid.
  noise[0] = 0xff;
  return { fault, noise };
}
