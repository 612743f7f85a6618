import { setFlagsFromString } from "node:v8";
import {
  addFormats,
  type Contract,
  createContract,
  type MemberPath,
  type ResourceType,
  registerValidator,
  type Schema,
} from "../contract/index.ts";
import { addressesOf } from "./addresses.ts";
import { eachOperation, operationsOf } from "./operations.ts";
import { type DocumentProblem, type HashedFile, hashedFile, readBehaviour, readDocument } from "./read/index.ts";
import { inferRoles } from "./roles/index.ts";
import { ownScenarios } from "./scenarios.ts";
import { lazyMember, Schemas, type Sender } from "./schemas.ts";
import { tokenEndpointsOf } from "./security.ts";
import { Validators } from "./validators.ts";

/** A contract, and what is known of the document that it comes from. */
export interface DocumentedContract {
  readonly contract: Contract;
  /** What was repaired or ignored in the document. */
  readonly warnings: readonly DocumentProblem[];
  /** The files of the document, the given one first, and that of the corrections. */
  readonly files: readonly string[];
  /** Whether the document refers to no files. */
  readonly isSelfContained: boolean;
  /** The scenarios for any document, by the names of files. */
  readonly ownScenarios: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  /** Corrects what the operations do. */
  readonly behaviour?: string | object;
  /** Whether the document is read again if a mock has read it before. */
  readonly noCache?: boolean;
}

/** The documents without other files that this process has loaded, by path and hash: tests start many mocks with one document. */
const loaded = new Map<string, Promise<DocumentedContract>>();

/** How many documents a process keeps. */
const LOADED = 4;

/**
 * Returns the contract that a document describes: a file, or a parsed document. Throws DocumentError for other values, and
 * for impossible corrections.
 */
export async function loadContract(
  source: string | object,
  { behaviour, noCache }: LoadOptions = {},
): Promise<DocumentedContract> {
  const file = typeof source === "string" && !noCache ? hashedFile(source) : undefined;
  if (file === undefined || behaviour !== undefined) return inSmallNursery(() => load(source, file, behaviour));
  const key = `${file.hash} ${file.path}`;
  const known = loaded.get(key);
  if (known) return known;
  const loading = inSmallNursery(() => load(source, file));
  loaded.set(key, loading);
  const [oldest = ""] = loaded.keys();
  if (loaded.size > LOADED) loaded.delete(oldest);
  const forget = () => void loaded.delete(key);
  await loading.then(({ isSelfContained }) => isSelfContained || forget(), forget);
  return loading;
}

/**
 * Runs a function while V8 does not enlarge the space for young objects. Otherwise, a document of 10 MB enlarges the space to
 * 128 MB, as most objects of a document stay. Measured with the documents of GitHub and commercetools: 110 MB of memory less,
 * and a tenth of the processor time.
 */
async function inSmallNursery<Result>(run: () => Promise<Result>): Promise<Result> {
  setFlagsFromString("--semi-space-growth-factor=1");
  try {
    return await run();
  } finally {
    // The default of V8.
    setFlagsFromString("--semi-space-growth-factor=2");
  }
}

async function load(
  source: string | object,
  file?: HashedFile,
  behaviour?: string | object,
): Promise<DocumentedContract> {
  const [{ document, warnings, files, isSelfContained }, corrections, { fullFormats }] = await Promise.all([
    readDocument(source, file),
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
  // When they are first needed, as they make views of all types.
  lazyMember(contract, "protocolValues", () => new Set(types.flatMap(identifyingValues)));
  return {
    contract,
    warnings,
    files: corrections?.path ? [...files, corrections.path] : files,
    isSelfContained,
    ownScenarios,
  };
}

/** Returns the schemas of the members with the id and the version of an item. */
function identifyingValues({ schema, id, version }: ResourceType): Schema[] {
  const ids = id?.parts?.map(({ member }) => member) ?? [id?.member === undefined ? undefined : [id.member]];
  const memberAt = (path: MemberPath) =>
    path.reduce<Schema | undefined>((holder, name) => holder?.properties?.[name], schema);
  return [...ids, version].flatMap((path) => (path && memberAt(path)) ?? []);
}
