/** The result of a call with a generated client: the body of a success, typed by the document, or the body of an error. */
export interface Reply {
  data?: unknown;
  error?: unknown;
  response?: Response;
}

/** One call per operation, by operation id. Each call uses its own project. */
export type Calls<OperationId extends string> = Readonly<Record<OperationId, (projectKey: string) => Promise<Reply>>>;

export const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])], {
  type: "image/png",
});
