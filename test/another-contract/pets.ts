import { createContract } from "../../src/contract/contract.ts";
import { object } from "../../src/contract/json-schema.ts";
import type { Operation, Responses } from "../../src/contract/operation-table.ts";
import type { ResourceType } from "../../src/contract/resource-type.ts";

/** A contract of another service, as a value: pets with integer ids, and errors of its own form. */

const Pet = object(["id", "name"], {
  id: { type: "integer" },
  name: { type: "string", minLength: 1 },
  tag: { type: ["string", "null"] },
  weight: { type: "number" },
  anything: {},
});

const NewPet = object(["name"], Pet.properties);

/** The errors of the service. */
const Problem = object(["errors"], {
  errors: {
    type: "array",
    minItems: 1,
    items: object(["title", "status"], { title: { type: "string" }, status: { type: "integer" } }),
  },
});

const problem = { description: "A problem.", schema: Problem };

const type: ResourceType = {
  name: "Pet",
  path: "/pets",
  itemPath: "/pets/{petId}",
  kind: "collection",
  schema: Pet,
  id: { form: "integer", member: "id" },
};

const projectKey = { in: "path", name: "projectKey", schema: { type: "string" } } as const;
const petId = { in: "path", name: "petId", schema: { type: "string" } } as const;
const limit = { in: "query", name: "limit", schema: { type: "integer", minimum: 0 } } as const;
const where = { in: "query", name: "where", schema: { type: "string" } } as const;
const sort = { in: "query", name: "sort", schema: { type: "string" } } as const;

function operation(row: Pick<Operation, "id" | "method" | "path" | "responses"> & Partial<Operation>): Operation {
  return { summary: row.id, tag: "pets", parameters: [], ...row };
}

/** Returns the operations below a start of all paths. */
function operationsBelow(start: string, ofProject: Operation["parameters"]): Operation[] {
  const responses = (own: Responses): Responses => ({ ...own, 400: problem, 404: problem, 409: problem });
  return [
    operation({
      id: "listPets",
      method: "GET",
      path: `${start}/pets`,
      parameters: [...ofProject, limit, where, sort],
      responses: responses({
        200: {
          description: "The pets.",
          schema: object(["data"], { data: { type: "array", items: Pet }, total_count: { type: "integer" } }),
        },
      }),
      role: {
        does: "list",
        type: "Pet",
        list: {
          at: ["data"],
          facts: [{ at: ["total_count"], is: "total" }],
          query: { limit: "limit", where: "where", sort: "sort" },
        },
      },
    }),
    operation({
      id: "createPet",
      method: "POST",
      path: `${start}/pets`,
      parameters: ofProject,
      body: { required: true, mediaTypes: ["application/json"], schema: NewPet },
      responses: responses({
        201: { description: "The pet.", schema: Pet, headers: { Location: "The path of the pet." } },
      }),
      role: { does: "create", type: "Pet" },
    }),
    operation({
      id: "getPet",
      method: "GET",
      path: `${start}/pets/{petId}`,
      parameters: [...ofProject, petId],
      responses: responses({ 200: { description: "The pet.", schema: Pet } }),
      role: { does: "read", type: "Pet", by: { parameters: ["petId"], member: "id" } },
    }),
  ];
}

const common = {
  info: { title: "Pets" },
  schemas: { Pet, Problem },
  types: [type],
  defaults: { collection: "paged", unknownIds: "auto", start: "empty" },
};

/** Pets below a project key: three operations. */
export const pets = createContract({
  ...common,
  operations: operationsBelow("/{projectKey}", [projectKey]),
  addresses: { project: "projectKey" },
});

const Toy = object(["id", "petId", "label"], {
  id: { type: "string" },
  petId: { type: "string" },
  label: { type: "string" },
});

/** Pets without a project in their paths, and what else real documents have. */
export const petsAtRoot = createContract({
  ...common,
  types: [
    type,
    {
      name: "Toy",
      path: "/pets/{petId}/toys",
      kind: "collection",
      scope: ["petId"],
      schema: Toy,
      id: { member: "id" },
    },
  ],
  addresses: { basePaths: ["/v1"] },
  operations: [
    ...operationsBelow("", []),
    operation({
      id: "deletePet",
      method: "DELETE",
      // Documents name the same parameter in different ways.
      path: "/pets/{id}",
      parameters: [{ ...petId, name: "id" }],
      responses: { 204: { description: "Deleted." }, default: problem },
      role: { does: "delete", type: "Pet", by: { parameters: ["id"], member: "id" } },
    }),
    operation({
      id: "getPetPhoto",
      method: "GET",
      path: "/pets/{petId}.json",
      parameters: [petId],
      responses: {
        200: { description: "A photo.", schema: Pet, examples: { rex: { id: 7, name: "Rex" } } },
      },
    }),
    operation({
      id: "findPets",
      method: "GET",
      path: "/pets/find",
      responses: { default: { description: "Any pet.", schema: Pet } },
    }),
    operation({ id: "ping", method: "POST", path: "/pets/find", responses: { 202: { description: "Nothing." } } }),
    operation({
      id: "createToy",
      method: "POST",
      path: "/pets/{petId}/toys",
      parameters: [petId],
      body: { required: true, mediaTypes: ["application/json"], schema: object(["label"], Toy.properties) },
      responses: { 201: { description: "The toy.", schema: Toy }, "4XX": problem },
      role: { does: "create", type: "Toy" },
    }),
    operation({
      id: "listToys",
      method: "GET",
      path: "/pets/{petId}/toys",
      parameters: [petId],
      responses: { 200: { description: "The toys.", schema: { type: "array", items: Toy } } },
      role: { does: "list", type: "Toy", list: { at: [] } },
    }),
  ],
});
