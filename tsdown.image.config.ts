import { defineConfig } from "tsdown";
import { build } from "./tsdown.config.ts";

/** Builds the code of the container image: the command without the library entries. */
export default defineConfig({
  ...build,
  entry: { "resource-mock": "src/bin.ts" },
  dts: false,
  outDir: "dist-image",
});
