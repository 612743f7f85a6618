import { join } from "node:path";
import { _, type CodeKeywordDefinition, type SchemaObject } from "ajv/dist/2020.js";
import ajvNames from "ajv/dist/compile/names.js";
import standalone from "ajv/dist/standalone/index.js";
import type { Rolldown } from "tsdown";
import { createAjv } from "../src/contract/ajv.ts";
import type { Extent } from "../src/contract/compiled.ts";
import { mapParts, type Schema } from "../src/contract/json-schema.ts";
import { objectsIn } from "../src/contract/read-query.ts";
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

type Schemas = Readonly<Record<Extent, readonly Schema[]>>;

const { operations } = serviceContract;
const bodies = operations.flatMap(({ body }) => body?.schema ?? []);
const responseSchemas = operations.flatMap(({ responses }) =>
  Object.values(responses).flatMap(({ schema }) => schema ?? []),
);
/** The schemas of the bodies of the control API. */
const controlSchemas = controlOperations
  .filter(({ tag }) => tag !== "archive")
  .flatMap(({ body, shapeOf }): readonly Schema[] | Schema => (shapeOf && body?.schema?.anyOf) ?? body?.schema ?? [])
  .concat(
    serviceContract.types.slice(0, 1).flatMap((type) => [draftOf(type), draftsOf(type)]),
    controls.stateForm?.schema ?? [],
    paramsOfStates(serviceContract, controls),
  );
/** A verification, which most tests call, has a module of its own. */
const verificationSchemas = controlOperations
  .filter(({ path }) => path.endsWith("/requests/verify"))
  .flatMap(({ body }) => body?.schema ?? []);
/** The archive has a module of its own, as few processes use it. */
const archiveSchemas = Object.values(lineSchemas);

/** The schemas in groups. Each group is one module. A schema in several groups is compiled into the first group. */
export const schemaGroups: Readonly<Record<string, Schemas>> = {
  service: {
    all: [
      ...bodies,
      ...operations.flatMap(({ parameters }) => parameters.flatMap(({ schema }) => objectsIn(schema))),
      ...responseSchemas,
      noBody,
      ...serviceContract.types.slice(0, 1).flatMap((type) => Object.values(seedsOf(type))),
    ],
    first: bodies,
  },
  // The body of a rule's response is validated too.
  scenarios: { all: [Activation, Rule, Scenario], first: [Activation, Rule, ...responseSchemas] },
  verification: { all: verificationSchemas, first: verificationSchemas },
  control: {
    all: [...controlSchemas, SettingsSchema.properties.latency, SettingsSchema.properties.rateLimit],
    first: controlSchemas,
  },
  archive: { all: [], first: archiveSchemas },
};

const contract = join(import.meta.dirname, "../src/contract/");

/** Returns the build plugin that fills `src/contract/compiled.ts`, which is empty in the sources. */
export function compiledValidators(): Rolldown.Plugin {
  const modules = compileModules();
  return {
    name: "compiled-validators",
    resolveId: (id) => (modules.has(id) ? id : undefined),
    load(id) {
      const code = modules.get(id);
      return code === undefined ? undefined : { code, moduleType: "js" };
    },
  };
}

function compileModules(): Map<string, string> {
  const modules = new Map<string, string>();
  const compiled: Record<Extent, string[]> = { all: [], first: [] };
  const known = new Set<string>();
  for (const [name, schemas] of Object.entries(schemaGroups)) {
    for (const extent of ["all", "first"] as const) {
      const byKey = new Map(schemas[extent].map((schema) => [keyOf(schema), schema]));
      schemas[extent].forEach(refuseTwin);
      for (const key of byKey.keys()) if (known.has(extent + key)) byKey.delete(key);
      for (const key of byKey.keys()) known.add(extent + key);
      const id = join(contract, `validators-${name}-${extent}.js`);
      modules.set(id, compileGroup(byKey, extent));
      compiled[extent].push(...[...byKey.keys()].map((key) => `${key}: () => import(${JSON.stringify(id)})`));
    }
  }
  const index = Object.entries(compiled).map(([extent, entries]) => `${extent}: {${entries.join(",\n")}}`);
  return modules.set(join(contract, "compiled.ts"), `export const compiled = {${index.join(",\n")}};`);
}

const texts = new Map<string, string>();

/** Throws if another schema has the key of this one. */
function refuseTwin(schema: Schema): void {
  const [key, text] = [keyOf(schema), JSON.stringify(schema)];
  if ((texts.get(key) ?? text) !== text) throw new Error(`two schemas have the key ${key}`);
  texts.set(key, text);
}

/** Returns the code of a module that exports the validators by the keys of their schemas. */
function compileGroup(schemas: ReadonlyMap<string, Schema>, extent: Extent): string {
  const shared = sharedIn([...schemas.values()]);
  const ajv = createAjv(extent, { code: { source: true, esm: true, formats: _`formats` } });
  ajv.addKeyword(sharedKeyword);
  for (const [key, schema] of new Map([...shared, ...schemas])) ajv.addSchema(withoutTexts(schema, shared), key);
  const exported = Object.fromEntries([...schemas.keys()].map((key) => [key, key]));
  // Compiled validators only import files that are already loaded: each further file delays the start.
  const code = standalone.default(ajv, exported).replace('require("ajv/dist/runtime/ucs2length").default', "lengthOf");
  return `import { formats } from "./scalar.ts";\nimport { addErrors, lengthOf } from "./validator.ts";\n${code}`;
}

/** Returns the subschemas that occur more than once, by key. Each becomes one shared function. */
function sharedIn(schemas: readonly Schema[]): Map<string, Schema> {
  const seen = new Set<string>();
  const shared = new Map<string, Schema>();
  const visit = (schema: Schema): void => {
    const key = keyOf(schema);
    const isLarge = schema.properties ?? schema.items ?? schema.anyOf ?? schema.additionalProperties;
    if (seen.has(key)) {
      if (isLarge) shared.set(key, schema);
      return;
    }
    seen.add(key);
    mapParts(schema, visit);
  };
  schemas.forEach(visit);
  return shared;
}

/** Returns the schema for Ajv: without texts for readers, and with the keyword `shared` for shared schemas. */
function withoutTexts(
  { title: _title, description: _description, examples: _examples, ...schema }: Schema,
  shared: ReadonlyMap<string, Schema>,
): SchemaObject {
  return mapParts(schema, (part) => {
    const key = keyOf(part);
    return shared.has(key) ? { shared: key } : withoutTexts(part, shared);
  });
}

/** Works like `$ref`, but errors have their whole path in the schema, as if the shared schema were inlined. */
const sharedKeyword: CodeKeywordDefinition = {
  keyword: "shared",
  schemaType: "string",
  code(context) {
    const { gen, it, data, schema } = context;
    const { instancePath, vErrors, errors } = ajvNames.default;
    const validate = gen.scopeValue("validate", { ref: it.self.getSchema(schema) });
    const call = _`${validate}(${data}, {instancePath: ${instancePath}+${it.errorPath}})`;
    context.result(call, undefined, () => {
      gen.assign(vErrors, _`addErrors(${vErrors}, ${it.errSchemaPath}, ${validate}.errors)`);
      gen.assign(errors, _`${vErrors}.length`);
    });
  },
};
