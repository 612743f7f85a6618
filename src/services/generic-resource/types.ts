import type { ResourceType } from "../../contract/index.ts";
import { ObjectTestType, RecordDraft } from "./schemas.ts";

export const RESOURCE = "Resource";
export const IMAGE = "Image";
export const NAMESPACE_ACTION = "NamespaceAction";

/** The types of the items. None has a scope, so their names are those of their collections too. */
export const types: readonly ResourceType[] = [
  {
    name: RESOURCE,
    path: "/resource",
    itemPath: "/resource/{id}",
    kind: "collection",
    schema: ObjectTestType,
    alternates: ["key"],
    version: ["version"],
    draft: RecordDraft,
    generate: async (count, seed) => (await import("./generate.ts")).generateRecords(count, seed),
  },
  { name: IMAGE, path: "/resource/images", kind: "files" },
  { name: NAMESPACE_ACTION, path: "/resource/namespace-action", kind: "singleton" },
];
