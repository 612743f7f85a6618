export * from "./library/testing/in-process.ts";
