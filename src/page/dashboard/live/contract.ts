import { control } from "../../../control/client/index.ts";
import { type ApiOperation, apiOf, type OpenApiDocument } from "../../api-docs/document.ts";
import { type Loaded, useLoaded } from "./loaded.ts";
import { useSession } from "./session.ts";

/** Loads the operations of the contract, in the order of its document. They never change while the mock runs. */
export function useContract(): Loaded<readonly ApiOperation[]> {
  const { connection } = useSession();
  return useLoaded(
    async () => {
      const document = await control<OpenApiDocument>(connection, { method: "GET", path: "/contract.json" });
      return apiOf("service", "Service API", document).groups.flatMap(({ operations }) => operations);
    },
    () => false,
  );
}
