import { addFormats, type Contract, createContract, registerValidator } from "../contract/index.ts";
import { addressesOf } from "./addresses.ts";
import { eachOperation, operationsOf } from "./operations.ts";
import { type DocumentProblem, readBehaviour, readDocument } from "./read/index.ts";
import { inferRoles } from "./roles/index.ts";
import { ownScenarios } from "./scenarios.ts";
import { Schemas, type Sender } from "./schemas.ts";
import { tokenEndpointsOf } from "./security.ts";
import { Validators } from "./validators.ts";

/** A contract, and what is known of the document that it comes from. */
export interface DocumentedContract {
  readonly contract: Contract;
  /** What was repaired or ignored in the document. */
  readonly warnings: readonly DocumentProblem[];
  /** The files of the document, the given one first, and that of the corrections. */
  readonly files: readonly string[];
  /** The scenarios for any document, by the names of files. */
  readonly ownScenarios: Readonly<Record<string, string>>;
}

/**
 * Returns the contract that a document describes: a file, or a parsed document. `behaviour` corrects what its operations do.
 * Throws DocumentError for other values, and for impossible corrections.
 */
export async function loadContract(source: string | object, behaviour?: string | object): Promise<DocumentedContract> {
  const [{ document, warnings, files }, corrections, { fullFormats }] = await Promise.all([
    readDocument(source),
    behaviour === undefined ? undefined : readBehaviour(behaviour),
    import("ajv-formats/dist/formats.js"),
  ]);
  addFormats(fullFormats as Parameters<typeof addFormats>[0]);
  const schemasOf = (sender: Sender): Schemas => {
    const schemas: Schemas = new Schemas(document, sender, (view, nodes) => {
      registerValidator(view, () => validators.load(nodes));
    });
    const validators = new Validators(document, schemas);
    return schemas;
  };
  const schemas = { client: schemasOf("client"), service: schemasOf("service") };
  const operations = operationsOf({ document, schemas });
  const {
    title = "",
    version,
    summary,
    description,
  } = document.info as { title?: string; version?: string; summary?: string; description?: string };
  const addresses = addressesOf(document, operations);
  const { scopes, ...tokens } = tokenEndpointsOf(document, addresses.basePaths);
  const { project } = addresses;
  const nodes = eachOperation(document);
  const read = { document, schemas: schemas.service, nodes, project };
  const types = inferRoles(operations, read, corrections);
  const contract = createContract({
    info: { title, version, summary, description },
    document,
    operations,
    types,
    addresses,
    defaults: { collection: "paged", unknownIds: "auto" },
    scopes,
    tokens,
  });
  return { contract, warnings, files: corrections?.path ? [...files, corrections.path] : files, ownScenarios };
}
