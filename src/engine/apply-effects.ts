import { counted, ServiceError } from "../contract/index.ts";
import { type CountedRequest, createRandom } from "../project/index.ts";
import { type EffectContext, type ServiceResponse, sampleLatency, withHeaders } from "../rules/index.ts";
import { nextVersion, updatedItem } from "../state/index.ts";
import { type Call, responseOf } from "./call/call.ts";
import { noEffects } from "./call/chosen-effects.ts";
import { addressed, findItem } from "./operations/find.ts";
import { preferredResponse, rawResponse, stubResponse } from "./stub.ts";

/**
 * What the effects of rules, and the settings `latency` and `rateLimit`, do with a call, step by step. What each effect does
 * is in the table of effects.
 */

function contextOf(call: Call): EffectContext {
  const { engine, project, operation, decisions } = call;
  return {
    operation,
    protocolValues: engine.contract.protocolValues,
    random: () => project.random(),
    ownRandom: () => createRandom(String(project.random())),
    writeAsAnotherClient() {
      const { role } = operation;
      if (!role || !("by" in role)) return;
      // An item that the request itself is going to create cannot change before.
      if ("creates" in role && role.creates && !addressed(call, role).item) return;
      const { item, type, collection } = findItem(call, role);
      const next = updatedItem(type, item, { version: nextVersion(item), lastModifiedAt: project.clock.timestamp() });
      project.change((draft) => draft.put(collection, next), call.author);
      decisions.push({ kind: "other-write", version: next.version });
    },
    respond: (response, stub) => stubResponse(call, response, stub),
    respondRaw: (response, stub) => rawResponse(call, response, stub),
    async run(run, stub) {
      const { callFunction } = await import("./call-function.ts");
      return callFunction(call, run, stub);
    },
    addDelay(ms) {
      call.delayed += ms;
    },
    wait: (ms, gone) => engine.wait(ms, gone, project.ended, engine.stopping),
  };
}

/** Chooses the delay of the response in milliseconds: by the effects, or else by the setting `latency`. */
export function chooseDelay(call: Call): number {
  const { project, settings, decisions, endpoint, effects } = call;
  const delaying = effects.chosen.filter(({ row }) => row.delay);
  let delay = 0;
  for (const { row, value, note } of delaying) {
    const ms = row.delay?.(value, contextOf(call)) ?? 0;
    note({ ms });
    delay += ms;
  }
  if (delaying.length === 0 && settings.latency && !endpoint) {
    delay = sampleLatency(settings.latency, () => project.random());
    decisions.push({ kind: "delayed", ms: delay });
  }
  call.delayed += delay;
  return delay;
}

/** Returns the response of the effects; undefined if the operation runs. Throws ServiceError. */
export async function effectResponse(call: Call): Promise<ServiceResponse | undefined> {
  const { effects } = call;
  const context = contextOf(call);
  try {
    for (const { row, value } of effects.chosen) row.before?.(value, context);
  } catch (error) {
    // There is no resource to write. The response of another effect needs none.
    const isReplaced = effects.preferred || effects.chosen.some(({ row }) => row.respond);
    if (!(isReplaced && error instanceof ServiceError)) throw error;
  }
  if (effects.preferred) return preferredResponse(call, effects.preferred);
  for (;;) {
    const ending = effects.chosen.find(({ row }) => row.respond);
    const response = await ending?.row.respond?.(ending.value, context, ending, ending.note);
    if (response || ending?.name !== "function") return response;
    call.decisions.push({ kind: "passed-on", source: ending.source });
    const next = effects.passOn?.();
    effects.chosen = [...effects.chosen.filter((effect) => effect !== ending), ...(next ? [next] : [])];
  }
}

export async function changedResponse(call: Call): Promise<ServiceResponse> {
  let changed = responseOf(call);
  for (const effect of call.effects.chosen) {
    changed = (await effect.row.change?.(changed, contextOf(call), effect, effect.note)) ?? changed;
  }
  return changed;
}

/**
 * Returns the response to send: with a fault or chunks, and with the state of the rate limit, which a rule can override, and
 * `Preference-Applied` in its headers.
 */
export function deliveredResponse(call: Call): ServiceResponse {
  const { effects, counted: request } = call;
  let delivered = responseOf(call);
  if (delivered.status === 0 || (effects === noEffects && !request)) return delivered;
  for (const effect of effects.chosen) {
    // A body that is too large for effects still arrives.
    if (delivered.delivery) break;
    delivered = effect.row.deliver?.(delivered, effect.value, contextOf(call), effect, effect.note) ?? delivered;
  }
  const preference = effects.applied === undefined ? undefined : { "Preference-Applied": effects.applied };
  return { ...delivered, headers: withHeaders(request && rateLimitHeaders(request), delivered.headers, preference) };
}

/** Returns in which form the effects need the whole body of an upstream. */
export function wholeBodyFor({ effects: { chosen } }: Call): "sent" | "decoded" | undefined {
  const forms = chosen.map(({ row }) => row.wholeBody);
  return forms.find((form) => form === "decoded") ?? forms.find(Boolean);
}

/** Counts the call for the setting `rateLimit` of its project, and adds it to the decisions. */
export function countCall(call: Call): void {
  const request = call.project.countRequest(call.arrival.receivedAt);
  if (!request) return;
  call.counted = request;
  const { limit, window, number } = request;
  call.decisions.push({ kind: "rate-limit", number, limit, window });
}

/** Returns the error for a call beyond the rate limit; undefined for every other call. */
export function rateLimitError({ counted: request }: Call): ServiceError | undefined {
  if (!request || request.number <= request.limit) return undefined;
  const { limit, window, number } = request;
  const seconds = secondsLeft(request);
  const message = `Rate limit: expected at most ${counted(limit, "request")} in ${window} ms, found ${number}. Retry after ${counted(seconds, "second")}.`;
  return new ServiceError({ code: "TooManyRequests", message }, { "Retry-After": String(seconds) });
}

function rateLimitHeaders(request: CountedRequest): Readonly<Record<string, string>> {
  const { limit, number } = request;
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(Math.max(0, limit - number)),
    "X-RateLimit-Reset": String(secondsLeft(request)),
  };
}

/** Returns the time until the next window in whole seconds, rounded up, so that a client that waits gets a response. */
function secondsLeft({ left }: CountedRequest): number {
  return Math.ceil(left / 1000);
}
