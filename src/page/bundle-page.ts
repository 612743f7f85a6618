import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "rolldown";

export interface BundledPage {
  /** One HTML document with inline script and style. */
  readonly html: string;
  /** The source files of the script. */
  readonly moduleIds: readonly string[];
}

const folder = join(import.meta.dirname, "dashboard");

/**
 * Bundles the dashboard into one document: `page.html`, the script that begins with `main.tsx`, and all style sheets. Used
 * by the package build, and at runtime if the mock runs from its sources.
 */
export async function bundlePage({ minify = false } = {}): Promise<BundledPage> {
  const [{ output }, html, style] = await Promise.all([
    build({
      input: join(folder, "main.tsx"),
      platform: "browser",
      write: false,
      // The page uses small parts of rooms whose other files run in Node only.
      external: /^node:/,
      logLevel: "warn",
      output: { format: "iife", minify },
      transform: { target: "es2022" },
    }),
    readFile(join(folder, "page.html"), "utf8"),
    styleSheet(),
  ]);
  const [{ code, moduleIds }] = output;
  // A literal `</script` would end the script element.
  const script = code.replaceAll("</script", "<\\/script");
  return {
    html: html
      .replace("/* style */", () => (minify ? withoutSpace(style) : style).trim())
      .replace("/* script */", () => script.trim()),
    moduleIds,
  };
}

/** Returns a style sheet without comments and line breaks. */
function withoutSpace(style: string): string {
  return style.replace(/\/\*.*?\*\//gs, "").replace(/\s+/g, " ");
}

/** Returns all style sheets as one: those of `styles` first, and those of the views after them. */
async function styleSheet(): Promise<string> {
  const entries = await readdir(folder, { recursive: true });
  // With slashes on Windows too, so that the order is the same.
  const files = entries.map((file) => file.replaceAll("\\", "/")).filter((file) => file.endsWith(".css"));
  const place = (file: string) => (file.startsWith("styles/") ? `0${file}` : `1${file}`);
  files.sort((one, other) => (place(one) < place(other) ? -1 : 1));
  return (await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))).join("\n");
}
