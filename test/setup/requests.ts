import type { OperationId } from "../../src/contract/known-service.ts";
import { json } from "./mock.ts";
import { draft, update } from "./resources.ts";

interface ExampleRequest {
  /** The path relative to `/{projectKey}/resource`. */
  path: string;
  init: RequestInit;
  /** The status of the response in a new project. */
  status: number;
}

/** A short image of each type with valid first bytes. */
export const images = {
  "image/jpeg": new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
  "image/png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]),
  "image/gif": new TextEncoder().encode("GIF89a  "),
} as const;

/** Returns a request with an image as its body. */
export function image(contentType: string, bytes: Uint8Array<ArrayBuffer> = images["image/png"]): RequestInit {
  return { method: "POST", headers: { "Content-Type": contentType }, body: bytes };
}

export const complexPath = "/artificially-complex/path/uri-parameter-one=one/two";

/** A valid request for each operation. */
export const exampleRequests: Readonly<Record<OperationId, ExampleRequest>> = {
  queryResources: { path: "?stringParameter=linen", init: {}, status: 200 },
  getResourceById: { path: "/some-id", init: {}, status: 200 },
  getResourceByKey: { path: "/key=some-key", init: {}, status: 200 },
  searchResources: { path: "/searchApiPattern?text.en=linen", init: {}, status: 200 },
  checkResourceExists: { path: "", init: { method: "HEAD" }, status: 200 },
  createResource: { path: "", init: json("POST", draft), status: 201 },
  overwriteResource: { path: "", init: json("PATCH", draft), status: 201 },
  createOrOverwriteResource: { path: "", init: json("PUT", draft), status: 201 },
  runComplexOperation: { path: complexPath, init: json("POST", { id: "1" }), status: 200 },
  updateResource: { path: "/some-id", init: update(1), status: 200 },
  deleteResource: { path: "/some-id", init: { method: "DELETE" }, status: 200 },
  queryWithSortedParameters: { path: "/sorted-query-parameters?limit=2", init: {}, status: 200 },
  uploadImage: { path: "/images?filename=front.png", init: image("image/png"), status: 200 },
  writeNamespaceAction: { path: "/namespace-action", init: json("POST", { points: 120 }), status: 200 },
  readNamespaceAction: { path: "/namespace-action", init: {}, status: 200 },
  getCart: { path: "/namespace-action-with-example", init: {}, status: 200 },
};

/** The name and the example request of each operation, as rows for `test.each`. */
export const everyOperation = Object.entries(exampleRequests) as [OperationId, ExampleRequest][];
