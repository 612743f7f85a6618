import { control } from "../../../control/client/index.ts";
import { type ApiName, type ApiOperation, type OpenApiDocument, operationsOf } from "../api/document.ts";
import { type Loaded, useLoaded } from "./loaded.ts";
import { useSession } from "./session.ts";

/** The OpenAPI documents of the mock, below `/__admin`. */
const documents: Readonly<Record<ApiName, string>> = { service: "/contract.json", control: "/openapi.json" };

/** Loads the operations of an API, by default of the service, in the order of its document. */
export function useContract(api: ApiName = "service"): Loaded<readonly ApiOperation[]> {
  const { connection, contracts } = useSession();
  return useLoaded(
    async () => {
      // The documents never change while the mock runs, so a session loads each of them once.
      contracts[api] ??= control<OpenApiDocument>(connection, { method: "GET", path: documents[api] })
        .then((document) => operationsOf(api, document))
        .catch((error: unknown) => {
          delete contracts[api];
          throw error;
        });
      return contracts[api];
    },
    [],
    [api],
  );
}
