import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

export interface BuiltPage {
  /** One document, script and style within. */
  readonly html: string;
  /** The files that the script was made of. */
  readonly moduleIds: readonly string[];
}

/** Makes the dashboard's page out of its sources. Loaded by the build, and where the mock runs from its sources. */
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
    readFile(new URL("./page.css", import.meta.url), "utf8"),
  ]);
  const [{ code, moduleIds }] = output;
  // Within a script element, nothing may look like its end.
  const script = code.replaceAll("</script", "<\\/script");
  return {
    html: html.replace("/* style */", () => style.trim()).replace("/* script */", () => script.trim()),
    moduleIds,
  };
}
