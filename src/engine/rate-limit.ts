import { counted, ServiceError } from "../contract/index.ts";
import type { CountedRequest } from "../project/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import type { Call } from "./call/call.ts";
import { withOverrides } from "./call/response.ts";

/** Counts the call for the setting `rateLimit` of its project, and records it in the decisions. */
export function countCall(call: Call, now: number): void {
  const request = call.project.countRequest(now);
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

/** Returns the response with the state of the rate limit in its headers. A rule can override them. */
export function withRateLimit(response: ServiceResponse, request: CountedRequest): ServiceResponse {
  if (response.status === 0) return response;
  const { limit, number } = request;
  const headers = {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(Math.max(0, limit - number)),
    "X-RateLimit-Reset": String(secondsLeft(request)),
  };
  return { ...response, headers: withOverrides(headers, response.headers) };
}

/** Returns the time until the next window in whole seconds, rounded up, so that a client that waits gets a response. */
function secondsLeft({ left }: CountedRequest): number {
  return Math.ceil(left / 1000);
}
