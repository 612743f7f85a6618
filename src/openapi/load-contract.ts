import { addFormats, type Contract, createContract, registerValidator } from "../contract/index.ts";
import { addressesOf } from "./addresses.ts";
import { eachOperation, operationsOf } from "./operations.ts";
import { type DocumentProblem, readDocument } from "./read/index.ts";
import { inferRoles } from "./roles/index.ts";
import { Schemas, type Sender } from "./schemas.ts";
import { tokenEndpointsOf } from "./security.ts";
import { Validators } from "./validators.ts";

/** A contract, and what is known of the document that it comes from. */
export interface DocumentedContract {
  readonly contract: Contract;
  /** What was repaired or ignored in the document. */
  readonly warnings: readonly DocumentProblem[];
  /** The files of the document, the given one first. */
  readonly files: readonly string[];
}

/** Returns the contract that a document describes: a file, or a parsed document. Throws DocumentError for other values. */
export async function loadContract(source: string | object): Promise<DocumentedContract> {
  const [{ document, warnings, files }, { fullFormats }] = await Promise.all([
    readDocument(source),
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
  const types = inferRoles(operations, { document, schemas: schemas.service, nodes: eachOperation(document), project });
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
  return { contract, warnings, files };
}
