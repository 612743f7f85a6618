/** The comparison of the real service with the mock, over HTTP only. Each check is a row of data. */
export { CannotStart, compare } from "./compare.ts";
export { isFailure, junitOf, lineOf, tableOf } from "./comparison-report.ts";
export type { Credentials } from "./credentials.ts";
