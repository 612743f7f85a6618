import { control } from "../../client/connection.ts";
import { type Loaded, useLoaded } from "./loaded.ts";
import { useSession } from "./session.ts";

/** The contract of the service: an OpenAPI document. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation of the contract, as the document describes it. */
export interface ContractOperation {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** With parameters in braces: `/{projectKey}/resource/{id}`. */
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly responses: Readonly<Record<string, unknown>>;
  /** All members of the operation, as in the document. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Loads the contract. It never changes while the mock runs. */
export function useContract(): Loaded<ContractDocument> {
  const { connection } = useSession();
  return useLoaded(
    () => control<ContractDocument>(connection, { method: "GET", path: "/contract.json" }),
    () => false,
  );
}

const methods = ["get", "head", "post", "put", "patch", "delete"];

/** Returns the operations of the contract, in the order of the document. */
export function operationsOf({ paths }: ContractDocument): ContractOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const document = item[method] as ContractOperation["document"] | undefined;
      if (!document) return [];
      const { operationId, summary, description, tags, responses } = document as unknown as ContractOperation;
      return [{ operationId, method: method.toUpperCase(), path, summary, description, tags, responses, document }];
    }),
  );
}
