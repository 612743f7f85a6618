/**
 * Services that OpenAPI documents describe. `read` reads a document, repairs it and brings it to OpenAPI 3.1; from there on,
 * a contract is made of it. `roles` finds out what its operations do with items. Loaded only with `--contract`.
 *
 * - *view*: a schema of the document without `$ref` and `allOf`, as one side sends its values; its parts are views too
 */

export { loadContract } from "./load-contract.ts";
export { DocumentError, type DocumentProblem } from "./read/index.ts";
