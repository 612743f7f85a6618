import { type Contract, createContract } from "./contract.ts";
import { operations } from "./service-operations.ts";
import { namedSchemas } from "./service-schemas.ts";

/** The contract of the Generic Resource Service. */
export const serviceContract: Contract = createContract(operations, namedSchemas);
