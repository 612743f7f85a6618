export * from "./library/testcontainers.ts";
