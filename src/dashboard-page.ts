import { join } from "node:path";
import { lazily } from "./contract/lazily.ts";

/** Loads the HTML of the dashboard. The built package reads the bundled file; in the sources, the page is built first. */
export const dashboardPage = lazily(async (): Promise<string> => {
  if (typeof IS_BUILT === "undefined") {
    const { buildPage } = await import("./dashboard/build.ts");
    return (await buildPage()).html;
  }
  const { readFile } = await import("node:fs/promises");
  return readFile(join(import.meta.dirname, "dashboard.html"), "utf8");
});
