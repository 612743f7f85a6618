export * from "./library/vitest/test.ts";
