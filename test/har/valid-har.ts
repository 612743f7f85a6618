import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { expect } from "vitest";
import type { Har } from "../../src/control/client/types.ts";
import { repository } from "../setup/run.ts";

const folder = `${repository}node_modules/har-schema/lib`;

/** The published JSON Schemas of HAR 1.2. They have the version draft-06. */
function publishedSchemas() {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const ajv = formats.default(new Ajv({ strict: false }));
  ajv.addMetaSchema(read(`${repository}node_modules/ajv/dist/refs/json-schema-draft-06.json`));
  for (const name of readdirSync(folder)) if (name.endsWith(".json")) ajv.addSchema(read(`${folder}/${name}`));
  return ajv;
}

const ajv = publishedSchemas();

/** Asserts that an HTTP archive is valid by the published schemas. */
export function expectValid(har: Har): void {
  const isValid = ajv.validate("har.json#", har);
  expect([isValid, ajv.errors]).toEqual([true, null]);
}
