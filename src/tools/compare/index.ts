export type { Credentials, Outcome } from "./options.ts";
export { junitOf, lineOf, tableOf } from "./report.ts";
export { CannotStart, verify } from "./verify.ts";
