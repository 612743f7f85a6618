/** The result of a call with a generated client: the body of a success, typed by the document, or the body of an error. */
export interface Reply {
  data?: unknown;
  error?: unknown;
  response?: Response;
}

/** One call per operation, by operation id. Each call uses its own project. */
export type Calls<OperationId extends string> = Readonly<Record<OperationId, (projectKey: string) => Promise<Reply>>>;

/** Returns a required value from an earlier call. Throws if it is missing. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("expected a body from the earlier call, found none");
  return value;
}

export const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])], {
  type: "image/png",
});

/** Sends a request to the service, so that the journal of the project has an entry. */
export async function sendRequest(baseUrl: string, projectKey: string): Promise<void> {
  await fetch(`${baseUrl}/${projectKey}/resource/some-id`);
}

export async function sendImage(baseUrl: string, projectKey: string): Promise<void> {
  await fetch(`${baseUrl}/${projectKey}/resource/images`, { method: "POST", body: png });
}
