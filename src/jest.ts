export * from "./library/jest/jest.ts";
