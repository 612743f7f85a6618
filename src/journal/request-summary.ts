import { effectsIn } from "./decisions.ts";
import { briefEntryOf } from "./entry.ts";
import { type RequestSummary, requestEvent } from "./feed-events.ts";
import { type Exchange, hasFailed } from "./kept-exchange.ts";
import { textOf, whyOf } from "./reasons/why.ts";

/** Returns whether the request failed, and no rule, scenario or function had an effect on it. */
export function isUnexpected(exchange: Exchange): boolean {
  return hasFailed(exchange) && effectsIn(exchange.decisions).length === 0;
}

/** The number of characters of a reason in a summary. */
const REASON_LENGTH = 300;

/** Returns the summary of a request and its response, with the reason for the response. */
export function summaryOf(project: string, exchange: Exchange): RequestSummary {
  const reason = textOf(whyOf(project, briefEntryOf(exchange)).reason).replace(/^\d{3}: /, "");
  const by = [...new Set(effectsIn(exchange.decisions).map(({ source }) => source))];
  return {
    project,
    ...requestEvent(exchange),
    reason: reason.length > REASON_LENGTH ? `${reason.slice(0, REASON_LENGTH)}…` : reason,
    ...(by.length > 0 && { by }),
  };
}
