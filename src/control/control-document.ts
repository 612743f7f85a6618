import { type Contract, mapParts, object, openApiDocument, type Schema, string } from "../contract/index.ts";
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

/** What the operations of each tag are about. */
const tags: Readonly<Record<string, string>> = {
  server: "The server itself.",
  contract: "What the mock has understood of the contract.",
  projects: "Sandboxes, one per project key.",
  archive: "A whole project as JSON lines.",
  state: "The complete state of a project.",
  resources: "The resources of a project.",
  snapshots: "Named copies of the state.",
  scenarios: "Scenarios and rules, which change responses.",
  settings: "The settings of a project.",
  clock: "The clock of a project.",
  tokens: "Bearer tokens for the service.",
  journal: "Received requests, verification and coverage.",
  events: "Server-sent events.",
  pact: "Pacts of the requests, and provider states for the verifier of Pact.",
};

/** The most operations whose ids the document lists. `GET /__admin/contract/operations` lists those of large contracts. */
const LISTED = 100;

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
  const shown = formsOf(contract, controls);
  const isShort = contract.ids.length <= LISTED;
  const documented = operations.map((operation): ControlOperation => {
    const { body } = operation;
    const example =
      typeof body?.example === "function" ? (body.example as ExampleOf)(contract, controls) : body?.example;
    return { ...operation, ...(body && { body: { ...body, example } }) };
  });
  return openApiDocument(documented, {
    info: {
      title: "resource-mock control API",
      version,
      summary: "Seed, inspect, verify and reset the projects of a mock, for any contract.",
      description:
        "Each project is an isolated sandbox with its own state and journal, so tests can run in parallel. A resource is " +
        "an item of a type that the contract describes. Errors are problem details (RFC 9457).",
    },
    url,
    tags: Object.entries({ ...tags, ...controls.tags }).map(([name, description]) => ({ name, description })),
    schemas: { ...schemasIn(contract, shown.values()), ...named, ...controls.schemas },
    shown: (schema) => shown.get(schema) ?? (isShort ? withNames(schema, contract.ids) : schema),
    securitySchemes: {
      adminToken: {
        type: "http",
        scheme: "bearer",
        description: "The value of --admin-token. Without this flag, calls need no token.",
      },
    },
    security: (operation) => ((operation as ControlOperation).isOpen ? [] : [{}, { adminToken: [] }]),
  });
}

/** Returns the forms that the contract decides, by the schemas that stand in their place in the operations. */
function formsOf(contract: Contract, controls: Controls): ReadonlyMap<Schema, Schema> {
  const [type] = contract.types;
  // The schemas of a document can contain themselves, and are in the document.
  if (contract.document) return new Map();
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
