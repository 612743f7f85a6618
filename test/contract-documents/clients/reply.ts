/** What a generated client returns for a call: the body of a success, typed by the document, or of an error. */
export interface Reply {
  data?: unknown;
  error?: unknown;
  /** The hey-api client has none for a request that failed before a response, and for event streams. */
  response?: Response;
}

/** A call of every operation, by its id. Each gets a project that no other call uses. */
export type Calls<OperationId extends string> = Readonly<Record<OperationId, (projectKey: string) => Promise<Reply>>>;

/** Returns a value that the call before must have returned. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the call before has returned no body");
  return value;
}

export const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])], {
  type: "image/png",
});

/** Sends a request of the service, for the operations of the control API that show what a project has received. */
export async function sendRequest(baseUrl: string, projectKey: string): Promise<void> {
  await fetch(`${baseUrl}/${projectKey}/resource/some-id`);
}

export async function sendImage(baseUrl: string, projectKey: string): Promise<void> {
  await fetch(`${baseUrl}/${projectKey}/resource/images`, { method: "POST", body: png });
}
