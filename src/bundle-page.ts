import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "rolldown";

export interface BundledPage {
  /** One HTML document with inline script and style. */
  readonly html: string;
  /** The source files of the script. */
  readonly moduleIds: readonly string[];
}

/**
 * Bundles `main.tsx`, `page.css` and `page.html` of a folder into one document. Used by the package build, and at runtime
 * if the mock runs from its sources.
 */
export async function bundlePage(folder: string, { minify = false } = {}): Promise<BundledPage> {
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
    readFile(join(folder, "page.css"), "utf8"),
  ]);
  const [{ code, moduleIds }] = output;
  // A literal `</script` would end the script element.
  const script = code.replaceAll("</script", "<\\/script");
  return {
    html: html.replace("/* style */", () => style.trim()).replace("/* script */", () => script.trim()),
    moduleIds,
  };
}
