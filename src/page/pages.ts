import { join } from "node:path";
import { lazily } from "../contract/index.ts";
import type { Pages } from "../control/index.ts";

/** Loads the dashboard. The built package reads a bundled file; in the sources, the page is bundled at its first request. */
export const pages: Pages = {
  dashboard: lazily(async () => {
    if (typeof IS_BUILT === "undefined") {
      const { bundlePage } = await import("./bundle-page.ts");
      return (await bundlePage()).html;
    }
    const { readFile } = await import("node:fs/promises");
    return readFile(join(import.meta.dirname, "dashboard.html"), "utf8");
  }),
};
