import { join } from "node:path";
import { lazily } from "../contract/index.ts";

/** Loads the page. The built package reads a bundled file; in the sources, the page is bundled at its first request. */
export const page: () => Promise<string> = lazily(async () => {
  if (typeof IS_BUILT === "undefined") {
    const { bundlePage } = await import("./bundle-page.ts");
    return (await bundlePage()).html;
  }
  const { readFile } = await import("node:fs/promises");
  return readFile(join(import.meta.dirname, "dashboard.html"), "utf8");
});
