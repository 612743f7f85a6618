import { join } from "node:path";
import { _, type Ajv2020, type SchemaObject } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { Rolldown } from "tsdown";
import { createAjv } from "../src/contract/ajv.ts";
import { mapParts, type Schema } from "../src/contract/json-schema.ts";
import { keyOf } from "../src/contract/validator.ts";
import { paramsOfStates } from "../src/control/provider-states.ts";
import { loadOperations } from "../src/control/subjects.ts";
import { lineSchemas } from "../src/homes/archive/line-schemas.ts";
import { Activation, Rule, Scenario } from "../src/rules/scenario.ts";
import { contract as serviceContract } from "../src/services/generic-resource/contract.ts";
import { controls } from "../src/services/generic-resource/control/index.ts";
import { noBody, seedsOf } from "../src/state/fixtures/fixtures.ts";
import { draftOf, draftsOf } from "../src/state/resource-record.ts";
import { SettingsSchema } from "../src/state/settings-schema.ts";

const controlOperations = await loadOperations(controls);

/**
 * Compiles the schemas at build time, so that users do not wait for Ajv
 * (docs/decisions/0011-precompiled-validators.md).
 */

const { operations, types } = serviceContract;

/** The schemas in groups. Each group is one module. A schema in several groups is compiled into the first group. */
export const schemaGroups: Readonly<Record<string, readonly Schema[]>> = {
  // The first write needs only these.
  requests: operations.flatMap(({ body }) => body?.schema ?? []),
  service: [
    ...operations.flatMap(({ responses }) => Object.values(responses).flatMap(({ schema }) => schema ?? [])),
    noBody,
    ...types.slice(0, 1).flatMap((type) => Object.values(seedsOf(type))),
  ],
  scenarios: [Activation, Rule, Scenario],
  // Most tests call a verification.
  verification: controlOperations
    .filter(({ path }) => path.endsWith("/requests/verify"))
    .flatMap(({ body }) => body?.schema ?? []),
  control: [
    ...controlOperations
      .filter(({ tag }) => tag !== "archive")
      .flatMap(
        ({ body, shapeOf }): readonly Schema[] | Schema => (shapeOf && body?.schema?.anyOf) ?? body?.schema ?? [],
      ),
    ...types.slice(0, 1).flatMap((type) => [draftOf(type), draftsOf(type)]),
    controls.stateForm?.schema ?? [],
    paramsOfStates(serviceContract, controls),
    SettingsSchema.properties.latency,
    SettingsSchema.properties.rateLimit,
  ].flat(),
  // Few processes use the archive.
  archive: Object.values(lineSchemas),
};

const contract = join(import.meta.dirname, "../src/contract/");

/** Returns the build plugin that fills `src/contract/compiled.ts`, which is empty in the sources. */
export function compiledValidators(): Rolldown.Plugin {
  const modules = compileModules();
  return {
    name: "compiled-validators",
    resolveId: (id) => (modules.has(id) ? id : undefined),
    load: (id) => modules.get(id),
  };
}

function compileModules(): Map<string, string> {
  const modules = new Map<string, string>();
  const compiled = new Map<string, string>();
  for (const [name, schemas] of Object.entries(schemaGroups)) {
    const id = join(contract, `validators-${name}.js`);
    const own = schemas.filter((schema) => !compiled.has(keyOf(schema)));
    modules.set(id, compileGroup(own));
    for (const schema of own) compiled.set(keyOf(schema), `${keyOf(schema)}: () => import(${JSON.stringify(id)})`);
  }
  return modules.set(join(contract, "compiled.ts"), `export const compiled = {${[...compiled.values()].join(",\n")}};`);
}

/** Returns the code of a module that exports the validators by the keys of their schemas. */
function compileGroup(schemas: readonly Schema[]): string {
  const ajv = createAjv({ inlineRefs: false, code: { source: true, esm: true, formats: _`formats` } });
  const exported = Object.fromEntries(schemas.map((schema) => [addTo(ajv, schema), keyOf(schema)]));
  // Compiled validators only import files that are already loaded: each further file delays the start.
  const code = standalone.default(ajv, exported).replace('require("ajv/dist/runtime/ucs2length").default', "lengthOf");
  return `import { formats } from "./formats.ts";\nimport { lengthOf } from "./explain.ts";\n${code}`;
}

const texts = new Map<string, string>();

/** Adds a schema and its large parts to Ajv. Returns its key. Throws if another schema has the key. */
function addTo(ajv: Ajv2020, schema: Schema): string {
  const [key, text] = [keyOf(schema), JSON.stringify(schema)];
  if ((texts.get(key) ?? text) !== text) throw new Error(`two schemas have the key ${key}`);
  texts.set(key, text);
  // In `not`, Ajv makes no errors: nothing reads them.
  if (!ajv.schemas[key]) ajv.addSchema({ not: { not: forAjv(ajv, schema) } }, key);
  return key;
}

/** Returns the schema without texts for readers, and with references to large parts. */
function forAjv(ajv: Ajv2020, schema: Schema): SchemaObject {
  const { title: _title, description: _description, examples: _examples, discriminator: _tag, ...rest } = schema;
  return mapParts(rest, (part) => {
    const isLarge = part.properties ?? part.items ?? part.anyOf ?? part.additionalProperties;
    return isLarge ? { $ref: addTo(ajv, part) } : forAjv(ajv, part);
  });
}
