import {
  type Contract,
  mapParts,
  type Operation,
  object,
  openApiDocument,
  type Schema,
  string,
} from "../contract/index.ts";
import { ArchiveLine } from "../homes/index.ts";
import {
  CoverageReport,
  Har,
  RequestEntry,
  RequestSummary,
  Timeline,
  Verification,
  VerificationFailed,
  VerificationPassed,
} from "../journal/index.ts";
import {
  Activation,
  ActiveScenario,
  AddedRule,
  Effects,
  Match,
  OperationName,
  OperationOrAny,
  Rule,
  withNames,
} from "../rules/index.ts";
import { draftOf, SettingsSchema, StoredItem, shownSchemaOf } from "../state/index.ts";
import * as schemas from "./control-schemas.ts";
import type { Control, ControlOperation, ExampleOf } from "./define-operation.ts";
import { Pact } from "./pact/pact-file.ts";
import { formOf } from "./state-operations.ts";
import type { Controls } from "./subjects.ts";

/** The schemas of the document, by name. */
const named: Readonly<Record<string, Schema>> = {
  ...schemas,
  Activation,
  ActiveScenario,
  AddedRule,
  ArchiveLine,
  Coverage: CoverageReport,
  Effects,
  Har,
  Match,
  OperationName,
  OperationOrAny,
  Pact,
  RequestEntry,
  RequestSummary,
  Rule,
  Settings: SettingsSchema,
  StoredItem,
  Timeline,
  Verification,
  VerificationFailed,
  VerificationPassed,
};

/** The tags of the operations, before and after those of the service. */
const tagsBefore = [
  { name: "server", description: "The server itself." },
  { name: "contract", description: "What the mock has understood of the contract." },
  { name: "projects", description: "Sandboxes, one per project key." },
  { name: "archive", description: "A whole project as JSON lines." },
  { name: "state", description: "The complete state of a project." },
  { name: "resources", description: "The resources of a project." },
];
const tagsAfter = [
  { name: "snapshots", description: "Named copies of the state." },
  { name: "scenarios", description: "Scenarios and rules, which change responses." },
  { name: "settings", description: "The settings of a project." },
  { name: "clock", description: "The clock of a project." },
  { name: "tokens", description: "Bearer tokens for the service." },
  { name: "journal", description: "Received requests, verification and coverage." },
  { name: "events", description: "Server-sent events." },
  { name: "pact", description: "Pacts of the requests, and provider states for the verifier of Pact." },
];

/**
 * Returns the control API as an OpenAPI 3.1 document, with the forms of the contract and the additions of the service.
 * `url` is the address of the mock.
 */
export function controlDocument(
  operations: readonly ControlOperation[],
  { version, controls }: Pick<Control, "version"> & { readonly controls: Controls },
  contract: Contract,
  url: string,
): object {
  const { tags = [], schemas: added = {}, notes = {} } = controls.document ?? {};
  const shown = formsOf(contract, controls);
  const all = [...tagsBefore, ...tags, ...tagsAfter];
  const byTag = ({ tag }: Operation) => all.findIndex(({ name }) => name === tag);
  const documented = operations.map((operation): ControlOperation => {
    const { id, body, description = "" } = operation;
    const example =
      typeof body?.example === "function" ? (body.example as ExampleOf)(contract, controls) : body?.example;
    const note = notes[id];
    return {
      ...operation,
      ...(note !== undefined && { description: `${description} ${note}` }),
      ...(body && { body: { ...body, example } }),
    };
  });
  return openApiDocument(
    documented.toSorted((a, b) => byTag(a) - byTag(b)),
    {
      info: {
        title: "resource-mock control API",
        version,
        summary: "Seed, inspect, verify and reset one project or all projects.",
        description:
          "Each project is an isolated sandbox, so tests can run in parallel. Errors are problem details (RFC 9457).",
      },
      url,
      tags: all,
      schemas: { ...schemasIn(contract, shown.values()), ...named, ...added },
      shown: (schema) => shown.get(schema) ?? withNames(schema, contract.ids),
      securitySchemes: {
        adminToken: {
          type: "http",
          scheme: "bearer",
          description: "The value of --admin-token. Without this flag, calls need no token.",
        },
      },
      security: (operation) => ((operation as ControlOperation).isOpen ? [] : [{}, { adminToken: [] }]),
    },
  );
}

/** Returns the forms that the contract decides, by the schemas that stand in their place in the operations. */
function formsOf(contract: Contract, controls: Controls): ReadonlyMap<Schema, Schema> {
  const [type] = contract.types;
  const state: [Schema, Schema] = [schemas.State, formOf(contract, controls).schema];
  if (!type) return new Map([state]);
  const { id, ...others } = schemas.ProviderStateValues.properties;
  const alternates = Object.fromEntries((type.alternates ?? []).map((name) => [name, string]));
  return new Map<Schema, Schema>([
    state,
    [schemas.Resource, shownSchemaOf(type)],
    [schemas.ResourceDraft, draftOf(type)],
    [schemas.ProviderStateValues, object([], { id, ...alternates, ...others })],
  ]);
}

/** Returns the named schemas of the contract that these schemas contain. */
function schemasIn({ schemas: all }: Contract, forms: Iterable<Schema>): Readonly<Record<string, Schema>> {
  const found = new Set<Schema>();
  const visit = (schema: Schema) => {
    if (found.has(schema)) return;
    found.add(schema);
    mapParts(schema, visit);
  };
  for (const form of forms) visit(form);
  return Object.fromEntries(Object.entries(all).filter(([, schema]) => found.has(schema)));
}
