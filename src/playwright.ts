export * from "./library/playwright.ts";
