import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "rolldown";

export interface BundledPage {
  /** One HTML document with inline script and style. */
  readonly html: string;
  /** The source files of the script. */
  readonly moduleIds: readonly string[];
}

/**
 * Bundles the folder of a page into one document: `page.html`, the script that begins with `main.tsx`, and all style
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
    styleSheet(folder),
  ]);
  const [{ code, moduleIds }] = output;
  // A literal `</script` would end the script element.
  const script = code.replaceAll("</script", "<\\/script");
  return {
    html: html.replace("/* style */", () => style.trim()).replace("/* script */", () => script.trim()),
    moduleIds,
  };
}

/** Returns the style sheets of all folders as one. Those in `styles` come first, so that the others can override them. */
async function styleSheet(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".css"));
  const rank = (file: string) => (file.startsWith("styles") ? 0 : 1);
  files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const sheets = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return sheets.join("\n");
}
