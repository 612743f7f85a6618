import { defineConfig } from "tsdown";
import { build } from "./tsdown.config.ts";

/** The container image's code: the command, which needs nothing beside it but fixtures and scenarios. */
export default defineConfig({
  ...build,
  entry: { "resource-mock": "src/cli/bin.ts" },
  dts: false,
  outDir: "dist-image",
});
