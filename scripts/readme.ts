import { readFileSync, writeFileSync } from "node:fs";
import { environmentName, flags } from "../src/cli/flags.ts";

/**
 * The parts of the README that are made from the code, between `<!-- name: begin -->` and `<!-- name: end -->`.
 * `npm run docs` writes them; a test holds the README to them.
 */
const parts: Readonly<Record<string, () => string>> = { flags: flagTable };

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
  const rows = Object.values(flags).map((flag) => {
    const value = flag.value === undefined ? "" : ` ${flag.value.replaceAll("|", "\\|")}`;
    const help = flag.repeatable ? `${flag.help}; may be repeated` : flag.help;
    const fallback = flag.default === undefined ? "" : `\`${flag.default}\``;
    return `| \`--${flag.name}${value}\` | \`${environmentName(flag)}\` | ${help} | ${fallback} |`;
  });
  return ["| flag | environment | meaning | default |", "|---|---|---|---|", ...rows].join("\n");
}

if (import.meta.main) writeFileSync(README, renderReadme());
