/**
 * The requests of a project and what they tell: entries, events, verification, coverage, reasons, reports, HAR.
 *
 * - *exchange*: a request with its response
 * - *record*: to add an exchange to the journal
 * - *entry*: an exchange as the control API shows it
 * - *decision*: a fact about why the response is as it is
 */

export { type Coverage, noCoverage, type OperationCounts, reportOfCoverage, sumOf, withRequest } from "./coverage.ts";
export { type CoverageParts, CoverageReport, combined, reportOf } from "./coverage-report.ts";
export {
  type Decision,
  type DecisionNamed,
  decisionNamed,
  effectsIn,
  evolvedIn,
  forcedBy,
  sentenceOf,
} from "./decisions.ts";
export { briefEntryOf, entryOf, NearMiss, RequestEntry, shownHeaders, shownText } from "./entry.ts";
export {
  type FeedEvent,
  type FeedEvents,
  type PublishedEvents,
  stateEvents,
} from "./events.ts";
export { type Failure, failureNames, possibleFailures } from "./failures.ts";
export { createFeed, type Feed, type ReceivingFeed, type StreamOptions, tooManyReaders } from "./feed.ts";
export { Har, type HarEntry } from "./har-schema.ts";
export * from "./history.ts";
export * from "./journal.ts";
export { sizeOf, withinBounds } from "./kept-bounds.ts";
export * from "./kept-exchange.ts";
export * from "./reasons/address.ts";
export { dataRoute, type Places, type Sentence, textOf, whyOf } from "./reasons/why.ts";
export { compileFilter, compileMatch, type Filter, type Selected } from "./request-filter.ts";
export * from "./request-summary.ts";
export { Buckets, Timeline } from "./timeline.ts";
export * from "./verification.ts";
export { verify } from "./verify.ts";
export { withoutSecrets } from "./without-secrets.ts";
