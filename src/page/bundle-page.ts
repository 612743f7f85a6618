import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "rolldown";

export interface BundledPage {
  /** One HTML document with inline script and style. */
  readonly html: string;
  /** The source files of the script. */
  readonly moduleIds: readonly string[];
}

/** The style sheets of each page: files and folders, relative to this file. Later ones override earlier ones. */
const styles = {
  dashboard: ["dashboard/styles", "api-docs/operation.css", "dashboard"],
  "api-docs": ["dashboard/styles/base.css", "api-docs/operation.css", "api-docs/page.css"],
} as const;

/**
 * Bundles the folder of a page into one document: `page.html`, the script that begins with `main.tsx`, and its style
 * sheets. Used by the package build, and at runtime if the mock runs from its sources.
 */
export async function bundlePage(page: "dashboard" | "api-docs", { minify = false } = {}): Promise<BundledPage> {
  const folder = join(import.meta.dirname, page);
  const [{ output }, html, style] = await Promise.all([
    build({
      input: join(folder, "main.tsx"),
      platform: "browser",
      write: false,
      logLevel: "warn",
      output: { format: "iife", minify },
      transform: { target: "es2022" },
    }),
    readFile(join(folder, "page.html"), "utf8"),
    styleSheet(styles[page]),
  ]);
  const [{ code, moduleIds }] = output;
  // A literal `</script` would end the script element.
  const script = code.replaceAll("</script", "<\\/script");
  return {
    html: html.replace("/* style */", () => style.trim()).replace("/* script */", () => script.trim()),
    moduleIds,
  };
}

/** Returns these style sheets as one, each file once. */
async function styleSheet(places: readonly string[]): Promise<string> {
  const files = await Promise.all(places.map(styleSheetsIn));
  const sheets = [...new Set(files.flat())].map((file) => readFile(file, "utf8"));
  return (await Promise.all(sheets)).join("\n");
}

/** Returns the path of a style sheet, or the paths of all style sheets in a folder, sorted. */
async function styleSheetsIn(place: string): Promise<string[]> {
  const path = join(import.meta.dirname, place);
  if (place.endsWith(".css")) return [path];
  const files = await readdir(path, { recursive: true });
  return files
    .filter((file) => file.endsWith(".css"))
    .sort()
    .map((file) => join(path, file));
}
