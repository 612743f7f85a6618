import { type Connection, connectionTo } from "../client/connection.ts";

/** A mock that several test workers share. */
export interface SharedMock {
  readonly url: string;
  readonly adminToken?: string;
}

export interface OpenedMock {
  readonly connection: Connection;
  /** Stops the mock, if it is this worker's own. */
  close(): Promise<void>;
}

/**
 * The mock for the tests of this worker: the shared one that they are told of, by the test runner or by
 * `RESOURCE_MOCK_URL`; else one of their own in this process, as the `RESOURCE_MOCK_…` variables shape it.
 */
export async function openMock(told?: SharedMock): Promise<OpenedMock> {
  // A browser has no `process`.
  const { RESOURCE_MOCK_URL: url, RESOURCE_MOCK_ADMIN_TOKEN: adminToken } = globalThis.process?.env ?? {};
  const shared = told ?? (url ? { url, adminToken } : undefined);
  if (shared) return { connection: connectionTo(shared.url, shared), close: async () => {} };
  // Loaded only here: with a shared mock, no worker needs the engine.
  const { startFromEnvironment } = await import("./in-process.ts");
  const { url: own, fetch, close } = await startFromEnvironment();
  // Without the socket: to a page, its mock is another origin.
  return { connection: connectionTo(own, { adminToken, fetch }), close };
}
