import { join } from "node:path";
import { lazily } from "../contract/index.ts";
import type { Pages } from "../control/index.ts";

/** Loads the pages. The built package reads bundled files; in the sources, each page is bundled at its first request. */
export const pages: Pages = {
  dashboard: lazily(() => load("dashboard")),
  docs: lazily(() => load("api-docs")),
};

async function load(page: "dashboard" | "api-docs"): Promise<string> {
  if (typeof IS_BUILT === "undefined") {
    const { bundlePage } = await import("./bundle-page.ts");
    return (await bundlePage(page)).html;
  }
  const { readFile } = await import("node:fs/promises");
  return readFile(join(import.meta.dirname, `${page}.html`), "utf8");
}
