import { type Connection, control } from "../../../control/client/index.ts";
import { type ApiName, type ApiOperation, type OpenApiDocument, operationsOf } from "../api/document.ts";
import { type Loaded, useLoaded } from "./loaded.ts";
import { useSession } from "./session.ts";

/** The OpenAPI documents of the mock, below `/__admin`. */
const documents: Readonly<Record<ApiName, string>> = { service: "/contract.json", control: "/openapi.json" };

/** The loads of each connection. The documents never change while the mock runs, so each is loaded once. */
const loads = new WeakMap<Connection, Partial<Record<ApiName, Promise<readonly ApiOperation[]>>>>();

/** Loads the operations of an API, by default of the service, in the order of its document. */
export function useContract(api: ApiName = "service"): Loaded<readonly ApiOperation[]> {
  const { connection } = useSession();
  return useLoaded(
    () => {
      const known = loads.get(connection) ?? {};
      loads.set(connection, known);
      known[api] ??= control<OpenApiDocument>(connection, { method: "GET", path: documents[api] })
        .then((document) => operationsOf(api, document))
        .catch((error: unknown) => {
          delete known[api];
          throw error;
        });
      return known[api];
    },
    [],
    [api],
  );
}
