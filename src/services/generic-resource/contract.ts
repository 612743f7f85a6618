import { type Contract, createContract, errorBody } from "../../contract/index.ts";
import { operations } from "./operations.ts";
import { namedSchemas, protocolValues } from "./schemas.ts";
import { types } from "./types.ts";

/** The contract of the Generic Resource Service. */
export const contract: Contract = createContract({
  info: {
    title: "Generic Resource Service",
    summary: "A versioned resource under a project key, an image upload, custom actions and a cart.",
    description:
      "The built-in example service of resource-mock, which needs no OpenAPI document. Where the interface of the service " +
      "leaves a question open, this document describes the behaviour of the mock.",
    servers: [
      {
        url: "https://api.{region}.{cloudProvider}.example.com",
        description: "The real service. Both variables accept any text.",
        variables: { region: { default: "europe-west1" }, cloudProvider: { default: "gcp" } },
      },
    ],
    tags: [
      { name: "resource", description: "The versioned resource." },
      { name: "images", description: "Images of product variants." },
      { name: "custom actions", description: "Reads and writes that a backend handles." },
    ],
  },
  operations,
  schemas: namedSchemas,
  types,
  addresses: { project: "projectKey", isStrict: true },
  declaresAllStatuses: true,
  declaresAllCredentials: true,
  errorBody,
  protocolValues,
  generator: () => import("./generate.ts"),
  async loadAssumptions() {
    const [{ assumptionsOf }, { responseClaims }] = await Promise.all([
      import("./assumptions.ts"),
      import("./claims.ts"),
    ]);
    return { assumptions: assumptionsOf(), claims: responseClaims };
  },
});
