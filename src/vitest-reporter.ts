export * from "./library/vitest/reporter.ts";
export { default } from "./library/vitest/reporter.ts";
