import {
  ArrayElement,
  ArrayTestType,
  type Contract,
  type Operation,
  openApiDocument,
  type Schema,
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
import { ImageDocument, RecordDraft, SettingsSchema, StateDocument } from "../state/index.ts";
import * as schemas from "./control-schemas.ts";
import type { ControlOperation } from "./define-operation.ts";
import { Pact } from "./pact/pact-file.ts";

/** The schemas of the document, by name. */
const named: Readonly<Record<string, Schema>> = {
  ...schemas,
  Activation,
  ActiveScenario,
  AddedRule,
  ArchiveLine,
  ArrayElement,
  ArrayTestType,
  Coverage: CoverageReport,
  Effects,
  Har,
  ImageDocument,
  Match,
  OperationName,
  OperationOrAny,
  Pact,
  RequestEntry,
  RequestSummary,
  ResourceDraft: RecordDraft,
  Rule,
  Settings: SettingsSchema,
  State: StateDocument,
  Timeline,
  Verification,
  VerificationFailed,
  VerificationPassed,
};

/** Returns the control API as an OpenAPI 3.1 document. `version` is that of resource-mock, `url` the address of the mock. */
export function controlDocument(
  operations: readonly ControlOperation[],
  version: string,
  contract: Contract,
  url: string,
): object {
  const open = new Set<Operation>(operations.filter(({ isOpen }) => isOpen));
  return openApiDocument(operations, {
    info: {
      title: "resource-mock control API",
      version,
      summary: "Seed, inspect, verify and reset one project or all projects.",
      description:
        "Each project is an isolated sandbox, so tests can run in parallel. Errors are problem details (RFC 9457).",
    },
    url,
    tags: [
      { name: "server", description: "The server itself." },
      { name: "projects", description: "Sandboxes, one per project key." },
      { name: "archive", description: "A whole project as JSON lines." },
      { name: "state", description: "The complete state of a project." },
      { name: "resources", description: "The resources of a project." },
      { name: "images", description: "The images of a project." },
      { name: "snapshots", description: "Named copies of the state." },
      { name: "scenarios", description: "Scenarios and rules, which change responses." },
      { name: "settings", description: "The settings of a project." },
      { name: "clock", description: "The clock of a project." },
      { name: "tokens", description: "Bearer tokens for the service." },
      { name: "journal", description: "Received requests, verification and coverage." },
      { name: "events", description: "Server-sent events." },
      { name: "pact", description: "Pacts of the requests, and provider states for the verifier of Pact." },
    ],
    schemas: named,
    shown: (schema) => withNames(schema, contract.ids),
    securitySchemes: {
      adminToken: {
        type: "http",
        scheme: "bearer",
        description: "The value of --admin-token. Without this flag, calls need no token.",
      },
    },
    security: (operation) => (open.has(operation) ? [] : [{}, { adminToken: [] }]),
  });
}
