export { default } from "./library/vitest/server.ts";
