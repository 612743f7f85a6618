/** A type of the items in the state. */
export interface ResourceType {
  readonly name: string;
  /** The path of its collection or of its singleton, below the project. */
  readonly path: string;
  readonly kind: "collection" | "files" | "singleton";
}

/** The names of the types of the Generic Resource Service: the names of their collections too, as none has a scope. */
export const RESOURCE = "Resource";
export const IMAGE = "Image";
export const NAMESPACE_ACTION = "NamespaceAction";

export const serviceTypes: readonly ResourceType[] = [
  { name: RESOURCE, path: "/resource", kind: "collection" },
  { name: IMAGE, path: "/resource/images", kind: "files" },
  { name: NAMESPACE_ACTION, path: "/resource/namespace-action", kind: "singleton" },
];
