import type { Contract } from "../contract/contract.ts";
import { openApiDocument } from "../contract/openapi.ts";
import type { Operation } from "../contract/operation.ts";
import type { Schema } from "../contract/schema.ts";
import { ArrayElement, ArrayTestType } from "../contract/schemas.ts";
import { CoverageReport } from "../journal/coverage.ts";
import { RequestEntry } from "../journal/entry.ts";
import { Verification, VerificationFailed, VerificationPassed } from "../journal/verification.ts";
import { Match, OperationName, OperationOrAny, withNames } from "../matching/match.ts";
import { Activation, Effects, Rule } from "../scenarios/scenario.ts";
import { SettingsSchema } from "../settings/settings.ts";
import { ImageDocument, StateDocument } from "../state/document.ts";
import { RecordDraft } from "../state/record.ts";
import type { Control } from "./operation.ts";
import * as schemas from "./schemas.ts";

/** The schemas that the document names, by their names there. */
const named: Readonly<Record<string, Schema>> = {
  ...schemas,
  Activation,
  ArrayElement,
  ArrayTestType,
  Coverage: CoverageReport,
  Effects,
  ImageDocument,
  Match,
  OperationName,
  OperationOrAny,
  RequestEntry,
  ResourceDraft: RecordDraft,
  Rule,
  Settings: SettingsSchema,
  State: StateDocument,
  Verification,
  VerificationFailed,
  VerificationPassed,
};

/** Returns the control API as OpenAPI 3.1. `url` is where the mock is. */
export function controlDocument(
  { operations, version }: Pick<Control, "operations" | "version">,
  contract: Contract,
  url: string,
): object {
  const open = new Set<Operation>(operations.filter(({ isOpen }) => isOpen));
  return openApiDocument(operations, {
    info: {
      title: "resource-mock control API",
      version,
      summary: "Seed, look, verify, reset: one sandbox, or all of them.",
      description:
        "What a test does in its own project, no other test can see. Every error is answered as problem details (RFC 9457).",
    },
    url,
    tags: [
      { name: "server", description: "The server itself." },
      { name: "projects", description: "The sandboxes, one per project key." },
      { name: "state", description: "A project's whole state." },
      { name: "resources", description: "The resources of a project." },
      { name: "images", description: "The images of a project." },
      { name: "snapshots", description: "Named states to go back to." },
      { name: "scenarios", description: "What goes wrong: scenarios and rules." },
      { name: "settings", description: "How a project behaves." },
      { name: "clock", description: "A project's own time." },
      { name: "tokens", description: "Bearer tokens for the service." },
      { name: "journal", description: "What was received, and what it exercised." },
      { name: "events", description: "What happens, while it happens." },
      { name: "provider states", description: "For Pact's verifier." },
    ],
    schemas: named,
    shown: (schema) => withNames(schema, contract.ids),
    securitySchemes: {
      adminToken: {
        type: "http",
        scheme: "bearer",
        description: "What --admin-token says; without it, nothing is asked for.",
      },
    },
    security: (operation) => (open.has(operation) ? [] : [{}, { adminToken: [] }]),
  });
}
