import { isObject, shown } from "../../contract/index.ts";
import { textOf } from "../references.ts";
import { Copier, type Version } from "./copy.ts";
import { repairOperations } from "./operations.ts";
import { DocumentError, type DocumentProblem, located, openSource, type Source, Sources } from "./sources.ts";
import { upgraded } from "./swagger.ts";

export { type BehaviourFile, type OperationCorrection, readBehaviour, refuse } from "./behaviour.ts";
export { DocumentError, type DocumentProblem };

export interface ReadDocument {
  /** An OpenAPI 3.1 document: acyclic JSON. Every `$ref` is local and has a target. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly warnings: readonly DocumentProblem[];
  /** The absolute paths of the files of the document, the given one first. */
  readonly files: readonly string[];
}

/**
 * Reads a document from a file and the files that it refers to, or from a parsed document. Repairs mistakes with a warning
 * each. Throws `DocumentError` if a file cannot be parsed, or is no OpenAPI document.
 */
export async function readDocument(source: string | object): Promise<ReadDocument> {
  const sources = new Sources(await import("js-yaml"));
  const main = openSource(sources, source, "document");
  const version = versionOf(main);
  const copier = new Copier(sources, main, version);
  const copy = copier.copy();
  const document = version === "2.0" ? upgraded(copy) : copy;
  repairOperations(document, copier);
  const bySource = [...Map.groupBy(copier.warnings, ({ source: own }) => own)];
  const warnings = bySource.flatMap((inside) => located(...inside));
  return { document: { ...document, openapi: "3.1.1" }, warnings, files: sources.paths };
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
