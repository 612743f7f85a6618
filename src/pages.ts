import { join } from "node:path";
import { lazily } from "./contract/lazily.ts";
import type { Pages } from "./control/operation.ts";

/** Loads the pages. The built package reads bundled files; in the sources, each page is built at its first request. */
export const pages: Pages = {
  dashboard: lazily(async () => {
    if (typeof IS_BUILT !== "undefined") return bundled("dashboard.html");
    const { buildPage } = await import("./dashboard/build.ts");
    return (await buildPage()).html;
  }),
  docs: lazily(async () => {
    if (typeof IS_BUILT !== "undefined") return bundled("docs.html");
    const { buildDocs } = await import("./api-docs/build.ts");
    return (await buildDocs()).html;
  }),
};

async function bundled(name: string): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(join(import.meta.dirname, name), "utf8");
}
