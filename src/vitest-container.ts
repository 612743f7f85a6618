export { default } from "./library/vitest/container.ts";
