import { readFileSync, writeFileSync } from "node:fs";
import { type CommandName, defaultOf, flagsOf } from "../src/cli/flags.ts";
import { controlErrorCatalogue, errorCatalogue, upstreamErrorCatalogue } from "../src/contract/errors.ts";
import type { Schema } from "../src/contract/json-schema.ts";
import { type NamedFlag, variableOf } from "../src/library/index.ts";
import { rules } from "../src/openapi/roles/rules.ts";
import { Rule, When } from "../src/rules/scenario.ts";
import { assumptions } from "../src/services/generic-resource/assumptions.ts";
import { SettingsSchema } from "../src/state/settings-schema.ts";
import { limitRows } from "./limits.ts";
import { scenarioTable } from "./scenarios.ts";

/**
 * The generated parts of each document in `docs`, between `<!-- name: begin -->` and `<!-- name: end -->`.
 * `npm run docs` writes them, and a test fails if they are out of date.
 */
const generated: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "any-contract.md": { roles: roleTable },
  "behaviour.md": {
    resources: () => assumptionTable(assumptions.resources),
    queries: () => assumptionTable(assumptions.queries),
    "other-operations": () => assumptionTable(assumptions["other-operations"]),
    requests: () => assumptionTable(assumptions.requests),
    tokens: () => assumptionTable(assumptions.tokens),
    errors: () => errorTable({ ...errorCatalogue, ...upstreamErrorCatalogue }),
  },
  "scenarios.md": {
    scenarios: scenarioTable,
    rule: () => memberList(Rule.properties),
    when: () => memberList(When.properties, ["operation"]),
  },
  "control-api.md": {
    "control-errors": () => errorTable(controlErrorCatalogue),
  },
  "configuration.md": {
    flags: () => flagTable("serve"),
    "compare-flags": () => flagTable("compare"),
    "coverage-flags": () => flagTable("coverage"),
    "mcp-flags": () => flagTable("mcp"),
    "pact-flags": () => flagTable("pact"),
    "sweep-flags": () => flagTable("sweep"),
    settings: settingsTable,
  },
  "limits.md": { limits: limitTables },
};

/** The names of the documents with generated parts. */
export const generatedDocuments = Object.keys(generated);

/** Returns the text of a document in `docs` with up-to-date generated parts. */
export function render(document: string, text = read(document)): string {
  return Object.entries(generated[document] ?? {}).reduce((rendered, [name, part]) => {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [before, rest = ""] = rendered.split(begin);
    const [, after] = rest.split(end);
    if (after === undefined) throw new Error(`docs/${document} has no part ${name}`);
    return `${before}${begin}\n${part()}\n${end}${after}`;
  }, text);
}

/** Returns the text of a document in `docs`. */
export function read(document: string): string {
  return readFileSync(urlOf(document), "utf8");
}

function urlOf(document: string): URL {
  return new URL(`../docs/${document}`, import.meta.url);
}

/** Returns the table of a command's flags. A line below the table names the flags that are the same as those of `serve`. */
function flagTable(command: CommandName): string {
  const rowsOf = (name: CommandName) =>
    flagsOf(name)
      .filter(({ group }) => group !== "settings")
      .map((flag) => [`\`--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}\``, meaningOf(flag)]);
  const ofServe = command === "serve" ? [] : rowsOf("serve").map(String);
  const { same = [], own = [] } = Object.groupBy(rowsOf(command), (row) =>
    ofServe.includes(String(row)) ? "same" : "own",
  );
  const names = same.map(([flag = ""]) => `${flag.split(" ", 1)[0]}\``);
  const line = new Intl.ListFormat("en", { style: "long" }).format(names).replace(", and ", " and ");
  return (
    table(["flag", "meaning"], own) +
    (line && `\n\n\`resource-mock ${command}\` also has the \`serve\` ${same.length === 1 ? "flag" : "flags"} ${line}.`)
  );
}

/** Returns the meaning of a flag, and what does not follow from its name and kind. */
function meaningOf(flag: NamedFlag): string {
  const { name, help, repeatable, variable, value } = flag;
  return [
    help,
    ...(flag.default === undefined || value === undefined ? [] : [`default \`${defaultOf(flag)}\``]),
    ...(repeatable ? ["repeatable"] : []),
    ...(variable === variableOf(name) ? [] : [`variable \`${variable}\``]),
  ].join("; ");
}

function settingsTable(): string {
  const rows = Object.entries(SettingsSchema.properties).map(([name, { default: value, description }]) => [
    `\`${name}\``,
    `\`${value}\``,
    // The dashboard shows the same texts without formatting.
    description.replaceAll(/(?<=[.;] )[a-z-]+(?=: )/g, "`$&`"),
  ]);
  return table(["setting", "default", "meaning"], rows);
}

function assumptionTable(rows: Readonly<Record<string, { readonly behaviour: string }>>): string {
  return table(
    ["name", "behaviour"],
    Object.entries(rows).map(([id, { behaviour }]) => [`\`${id}\``, behaviour]),
  );
}

function errorTable(catalogue: Readonly<Record<string, { status: number; meaning: string }>>): string {
  const rows = Object.entries(catalogue).map(([code, { status, meaning }]) => [`${status} \`${code}\``, meaning]);
  return table(["status and code", "meaning"], rows);
}

function memberList(members: Readonly<Record<string, Schema>>, omitted: readonly string[] = []): string {
  return Object.entries(members)
    .filter(([name]) => !omitted.includes(name))
    .map(
      ([name, { description = "" }]) =>
        `- \`${name}\`: ${description.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())}`,
    )
    .join("\n");
}

function limitTables(): string {
  return [...limitRows()]
    .map(([heading, rows]) => `## ${heading}\n\n${table(["subject", "limit", "effect if exceeded"], rows)}`)
    .join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  for (const document of generatedDocuments) writeFileSync(urlOf(document), render(document));
}

function roleTable(): string {
  const rows = rules.map(({ on, because, does }) => {
    const reason = because.replace("{method}", on.join(" or ")).replace("{writer}", "another operation");
    return `| ${reason.replace("{}", "`/pets/{petId}`")} | ${does ?? "no state"} |`;
  });
  return ["| reason | role |", "|---|---|", ...rows].join("\n");
}
