/* What the page knows of the contract: all operations, each in a line, and one operation at a time as a whole. */

import { MAX_REQUEST_PAGE, type OperationSummary } from "../../../contract/index.ts";
import { control, path } from "../../../control/client/index.ts";
import { type ApiOperation, type OpenApiDocument, operationsOf } from "../api/document.ts";
import { type Loaded, type Session, useLoaded, useSession } from "./session.ts";

/** What was read so far. The contract never changes while the mock runs, so a session reads each part of it once. */
const kept = new WeakMap<Session["connection"], Map<string, Promise<unknown>>>();

function keptIn<T>({ connection }: Session, name: string, read: () => Promise<T>): Promise<T> {
  const all = kept.get(connection) ?? new Map<string, Promise<unknown>>();
  kept.set(connection, all);
  if (!all.has(name)) all.set(name, read());
  const reading = all.get(name) as Promise<T>;
  // Read again after an error.
  reading.catch(() => all.delete(name));
  return reading;
}

/** Reads all operations of the service, each in a line, in the order of the contract. */
export function operationLines(session: Session): Promise<readonly OperationSummary[]> {
  return keptIn(session, "lines", async () => {
    const lines: OperationSummary[] = [];
    let page: { readonly operations: readonly OperationSummary[]; readonly total: number };
    do {
      const query = { limit: MAX_REQUEST_PAGE, offset: lines.length };
      page = await control(session.connection, { method: "GET", path: "/contract/operations", query });
      lines.push(...page.operations);
    } while (page.operations.length > 0 && lines.length < page.total);
    return lines;
  });
}

export function useOperationLines(): Loaded<readonly OperationSummary[]> {
  const session = useSession();
  return useLoaded(() => operationLines(session));
}

/** Reads the operation of the service with this id as a whole. */
export function operationOf(session: Session, id: string): Promise<ApiOperation | undefined> {
  return keptIn(session, `operation ${id}`, async () => {
    const call = { method: "GET", path: path`/contract/operations/${id}` } as const;
    return operationsOf("service", await control<OpenApiDocument>(session.connection, call))[0];
  });
}

/** Loads the operation of the service with this id; nothing without an id. */
export function useOperation(id: string | undefined): Loaded<ApiOperation | undefined> {
  const session = useSession();
  return useLoaded(async () => (id === undefined ? undefined : operationOf(session, id)), [], [id]);
}

/** Reads all operations of the control API, in the order of its document. */
export function controlOperations(session: Session): Promise<readonly ApiOperation[]> {
  return keptIn(session, "control", async () =>
    operationsOf("control", await control(session.connection, { method: "GET", path: "/openapi.json" })),
  );
}

/** Returns the verb of an operation's role, such as `reads`, if it is about this type. */
export function roleOn({ role, type }: OperationSummary, name: string): string | undefined {
  return type === name ? role.split(" ", 1)[0] : undefined;
}
