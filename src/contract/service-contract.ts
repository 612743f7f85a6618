import { type Contract, createContract } from "./contract.ts";
import { operations } from "./operations.ts";
import { namedSchemas } from "./schemas.ts";

/** The contract of the Generic Resource Service. */
export const serviceContract: Contract = createContract(operations, namedSchemas);
