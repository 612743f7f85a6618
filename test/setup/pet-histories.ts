import fc from "fast-check";
import { createContract } from "../../src/contract/contract.ts";
import type { Operation } from "../../src/contract/operation-table.ts";
import { petsAtRoot } from "../another-contract/pets.ts";
import { type Call, controlCall, controlOf, type Subject, subjectOf } from "./histories.ts";
import { json } from "./mock.ts";

/*
 * Random histories of another contract: pets with integer ids, of which a project starts with some, and toys in the scope of
 * a pet.
 */

const petId = { in: "path", name: "petId", schema: { type: "string" } } as const;
const toyId = { in: "path", name: "toyId", schema: { type: "string" } } as const;
const [Pet, Toy] = petsAtRoot.types.map(({ schema = {} }) => schema);
const ofPet = { type: "Pet", by: { parameters: ["petId"], member: "id" } } as const;
const ofToy = { type: "Toy", by: { parameters: ["toyId"], member: "id" } } as const;
const ok = (schema = Pet) => ({ 200: { description: "The item.", ...(schema && { schema }) } });
const body = (schema = Pet) => ({ required: true, mediaTypes: ["application/json"], ...(schema && { schema }) });
const pet = { path: "/pets/{petId}", parameters: [petId], tag: "pets", summary: "", responses: ok() };
const toy = { path: "/pets/{petId}/toys/{toyId}", parameters: [petId, toyId], tag: "pets", summary: "" };

const operations: readonly Operation[] = [
  ...petsAtRoot.operations,
  { ...pet, id: "replacePet", method: "PUT", body: body(), role: { ...ofPet, does: "replace" } },
  { ...pet, id: "changePet", method: "PATCH", body: body({ type: "object" }), role: { ...ofPet, does: "merge" } },
  { ...toy, id: "getToy", method: "GET", responses: ok(Toy), role: { ...ofToy, does: "read" } },
  {
    ...toy,
    id: "deleteToy",
    method: "DELETE",
    responses: { 204: { description: "" } },
    role: { ...ofToy, does: "delete" },
  },
];

const { Problem = {} } = petsAtRoot.schemas;
const problem = { description: "A problem.", schema: Problem };

const petsWithToys = createContract({
  ...petsAtRoot,
  operations: operations.map((each) => ({ ...each, responses: { ...each.responses, default: problem } })),
  defaults: { ...petsAtRoot.defaults, start: "sample" },
});

const id = fc.constantFrom("1", "2", "3", "4", "9", "__proto__", "%F0%9F%98%80");
const text = fc.constantFrom("a", "Rex", "\ud83d", "");

const request: fc.Arbitrary<Call> = fc
  .oneof(
    { weight: 3, arbitrary: text.map((name) => ({ path: "/pets", init: json("POST", { name, other: 1 }) })) },
    fc.constantFrom(0, 1, 9).map((own) => ({ path: "/pets", init: json("POST", { id: own, name: "b" }) })),
    fc
      .constantFrom("", "?limit=2", "?sort=id%20desc", "?where=id>1")
      .map((query) => ({ path: `/pets${query}`, init: {} })),
    { weight: 2, arbitrary: id.map((one) => ({ path: `/pets/${one}`, init: {} })) },
    fc.tuple(id, text).map(([one, name]) => ({ path: `/pets/${one}`, init: json("PUT", { id: 1, name, tag: null }) })),
    fc.tuple(id, text).map(([one, tag]) => ({ path: `/pets/${one}`, init: json("PATCH", { tag }) })),
    id.map((one) => ({ path: `/pets/${one}`, init: { method: "DELETE" } })),
    { weight: 2, arbitrary: id.map((one) => ({ path: `/pets/${one}/toys`, init: json("POST", { label: "ball" }) })) },
    id.map((one) => ({ path: `/pets/${one}/toys`, init: json("POST", { id: "t", label: "rope" }) })),
    id.map((one) => ({ path: `/pets/${one}/toys`, init: {} })),
    fc.tuple(id, fc.constantFrom("GET", "DELETE")).map(([one, method]) => ({
      path: `/pets/${one}/toys/t`,
      init: { method },
    })),
    fc.constantFrom("/pets/find", "/nothing").map((path) => ({ path, init: {} })),
  )
  .map(({ path, init }) => ({ path: `/p${path}`, init }));

const control = controlOf(
  ["getPet", "createPet", "replacePet", "createToy"],
  [
    controlCall("POST", "/resources", { "/pets/1/toys": [{ id: "u", label: "bone" }], Pet: [{ name: "seeded" }] }),
    controlCall("PUT", "/resources/t?type=/pets/2/toys", { label: "stick" }),
    controlCall("DELETE", "/resources/1?type=Pet"),
  ],
);

/** The contract of pets, and its histories. */
export const petSubject: Subject = subjectOf({
  name: "pets and toys",
  service: { contract: petsWithToys },
  request,
  control,
  first: "/p/pets",
  readings: ["/resources?type=Pet", "/resources?type=/pets/1/toys", "/types"],
});
