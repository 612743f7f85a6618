export * from "./library/in-process.ts";
