export * from "./library/jest/reporter.ts";
export { default } from "./library/jest/reporter.ts";
