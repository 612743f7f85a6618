import { writeFileSync } from "node:fs";
import type { Schema } from "../src/contract/json-schema.ts";
import { ArchiveLine } from "../src/homes/archive/line-schemas.ts";
import { CoverageReport } from "../src/journal/coverage-report.ts";
import { Behaviour } from "../src/openapi/read/behaviour.ts";
import { Report as CompareReport } from "../src/tools/compare/comparison-report.ts";
import { SweepReport } from "../src/tools/sweep/sweep-report.ts";

/** Writes the JSON Schemas of the files that the server and its commands write, and of the file of `--behaviour`. */

const FOLDER = new URL("../schemas/", import.meta.url);

const reports: Readonly<Record<string, { readonly title: string; readonly schema: Schema }>> = {
  "archive-line.schema.json": { title: "A line of an archive of a project of resource-mock", schema: ArchiveLine },
  "behaviour.schema.json": { title: "The file of --behaviour of resource-mock", schema: Behaviour },
  "compare.schema.json": { title: "The report of resource-mock compare", schema: CompareReport },
  "coverage.schema.json": { title: "The coverage report of resource-mock", schema: CoverageReport },
  "sweep.schema.json": { title: "The report of resource-mock sweep", schema: SweepReport },
};

/** Returns the JSON Schema of each file as text, by the name of its file in `schemas`. */
export function reportSchemas(): Map<string, string> {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return new Map(
    Object.entries(reports).map(([file, { title, schema }]) => [
      file,
      `${JSON.stringify({ $schema, title, ...schema }, undefined, 2)}\n`,
    ]),
  );
}

if (import.meta.main) {
  for (const [file, text] of reportSchemas()) writeFileSync(new URL(file, FOLDER), text);
}
