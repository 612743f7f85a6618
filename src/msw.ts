export * from "./library/msw.ts";
