import { isObject, shown } from "../../contract/index.ts";
import { textOf } from "../references.ts";
import { cached, type HashedFile, hashedFile } from "./cache.ts";
import { Copier, type Version } from "./copy.ts";
import { repairOperations } from "./operations.ts";
import { DocumentError, type DocumentProblem, located, openSource, type Source, Sources } from "./sources.ts";
import { upgraded } from "./swagger.ts";

export { type BehaviourFile, type OperationCorrection, readBehaviour, refuse } from "./behaviour.ts";
export { DocumentError, type DocumentProblem, type HashedFile, hashedFile };

export interface ReadDocument {
  /** An OpenAPI 3.1 document: acyclic JSON. Every `$ref` is local and has a target. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly warnings: readonly DocumentProblem[];
  /** The absolute paths of the files of the document, the given one first. */
  readonly files: readonly string[];
  /** Whether it has no reference to a file, also to a missing one. */
  readonly isSelfContained: boolean;
  /** Whether it is Swagger 2.0. */
  readonly isUpgraded?: boolean;
  /** The characters of its texts, those of aliases as often as they appear. */
  readonly characters?: number;
}

/**
 * Reads a document from a file and the files that it refers to, or from a parsed document. Repairs mistakes with a warning
 * each. `file` is that of the document, if the cache may have it. Throws `DocumentError` if a file cannot be parsed, or is no
 * OpenAPI document.
 */
export async function readDocument(source: string | object, file?: HashedFile): Promise<ReadDocument> {
  return file ? cached(file, () => read(source, file)) : read(source);
}

async function read(source: string | object, file?: HashedFile): Promise<ReadDocument> {
  const sources = new Sources(await import("js-yaml"));
  const main = openSource(sources, source, "document", file?.bytes);
  const version = versionOf(main);
  const copier = new Copier(sources, main, version);
  const copy = copier.copy();
  const { isSelfContained, characters } = copier;
  const isUpgraded = version === "2.0";
  const document = isUpgraded ? upgraded(copy) : copy;
  repairOperations(document, copier);
  const bySource = [...Map.groupBy(copier.warnings, ({ source: own }) => own)];
  const warnings = bySource.flatMap((inside) => located(...inside));
  return {
    document: { ...document, openapi: "3.1.1" },
    warnings,
    files: sources.paths,
    isSelfContained,
    isUpgraded,
    characters,
  };
}

/** Returns the version of a document. Throws `DocumentError` if the file is no OpenAPI document. */
function versionOf({ file, value }: Source): Version {
  const { openapi, swagger } = isObject(value) ? value : {};
  if (/^2(?:\.0)?$/.test(textOf(swagger))) return "2.0";
  if (/^3(?:\.0|$)/.test(textOf(openapi))) return "3.0";
  if (/^3\.[12]/.test(textOf(openapi))) return "3.1";
  const expected = "expected an OpenAPI document (openapi: 3.0, 3.1 or 3.2, or swagger: 2.0)";
  throw new DocumentError({ file, message: `${expected}, found ${shown(openapi ?? swagger ?? value)}` });
}
