import { readFileSync, writeFileSync } from "node:fs";
import { oauthErrorCatalogue } from "../src/auth/token-endpoint.ts";
import { flagsOf, REPEATABLE } from "../src/cli/flags.ts";
import { errorCatalogue } from "../src/contract/errors.ts";
import { controlOperations } from "../src/control/operations.ts";
import { SettingsSchema } from "../src/settings/settings.ts";
import { scenarioTable } from "./scenarios.ts";

/**
 * The parts of the README that are made from the code, between `<!-- name: begin -->` and `<!-- name: end -->`.
 * `npm run docs` writes them; a test holds the README to them.
 */
const parts: Readonly<Record<string, () => string>> = {
  scenarios: scenarioTable,
  settings: settingsTable,
  control: controlTable,
  errors: () => errorTable(errorCatalogue),
  "oauth-errors": () => errorTable(oauthErrorCatalogue),
  flags: flagTable,
};

const README = new URL("../README.md", import.meta.url);

/** The README as it should be. */
export function renderReadme(readme = readFileSync(README, "utf8")): string {
  return Object.entries(parts).reduce((text, [name, render]) => {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [before, rest = ""] = text.split(begin);
    const [, after] = rest.split(end);
    if (after === undefined) throw new Error(`README.md has no part ${name}`);
    return `${before}${begin}\n${render()}\n${end}${after}`;
  }, readme);
}

function flagTable(): string {
  const rows = flagsOf("serve").map(({ name, value, variable, help, repeatable, default: fallback }) => [
    `\`--${name}${value === undefined ? "" : ` ${value}`}\``,
    `\`${variable}\``,
    repeatable ? `${help}; ${REPEATABLE}` : help,
    fallback === undefined ? "" : `\`${fallback}\``,
  ]);
  return table(["flag", "environment variable", "meaning", "default"], rows);
}

function settingsTable(): string {
  const rows = Object.entries(SettingsSchema.properties).map(([name, { default: value, description }]) => [
    `\`${name}\``,
    `\`${value}\``,
    description,
  ]);
  return table(["setting", "default", "meaning"], rows);
}

function errorTable(catalogue: Readonly<Record<string, { status: number; meaning: string }>>): string {
  const rows = Object.entries(catalogue).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]);
  return table(["code", "status", "meaning"], rows);
}

function controlTable(): string {
  const rows = controlOperations.map(({ method, path, summary }) => [
    `\`${method} ${path.replace("/__admin", "")}\``,
    summary,
  ]);
  return table(["under `/__admin`", ""], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(README, renderReadme());
