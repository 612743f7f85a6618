import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

export interface BuiltPage {
  /** One HTML document with inline script and style. */
  readonly html: string;
  /** The source files of the script. */
  readonly moduleIds: readonly string[];
}

/** Bundles the dashboard into one page. Used by the package build, and at runtime if the mock runs from its sources. */
export async function buildPage({ minify = false } = {}): Promise<BuiltPage> {
  const [{ output }, html, style] = await Promise.all([
    build({
      input: fileURLToPath(new URL("./main.tsx", import.meta.url)),
      platform: "browser",
      write: false,
      logLevel: "warn",
      output: { format: "iife", minify },
      transform: { target: "es2022" },
    }),
    readFile(new URL("./page.html", import.meta.url), "utf8"),
    styleSheet(),
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
async function styleSheet(): Promise<string> {
  const files = (await readdir(new URL(".", import.meta.url), { recursive: true })).filter((file) =>
    file.endsWith(".css"),
  );
  const rank = (file: string) => (file.startsWith("styles") ? 0 : 1);
  files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const sheets = await Promise.all(files.map((file) => readFile(new URL(file, import.meta.url), "utf8")));
  return sheets.join("\n");
}
