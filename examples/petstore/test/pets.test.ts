import { expect, test } from "resource-mock/vitest";
import { addPet, type Pet, petNames } from "../src/pets.ts";

test("lists the pets of the example in the document", async ({ mock }) => {
  expect(await petNames(mock.baseUrl)).toEqual(["Rex", "Tom"]);

  await expect(mock).toHaveReceived({ operation: "listPets", query: { limit: "10" } }, { count: 1 });
  await expect(mock).toHaveNoViolations();
});

test("adds a pet", async ({ mock }) => {
  await addPet(mock.baseUrl, { name: "Rex", kind: "dog" });

  await mock.assertReceived({ operation: "createPet", body: { name: "Rex" } }, { count: 1 });
  await expect(mock).toHaveNoViolations();
});

test("shows why the service rejects a pet", async ({ mock }) => {
  const fish = { name: "Bubbles", kind: "fish" } as unknown as Pet;

  await expect(addPet(mock.baseUrl, fish)).rejects.toThrow('kind: expected one of "dog", "cat", found "fish"');
});

test("fails while the service fails", async ({ mock }) => {
  await mock.use("server-error");

  await expect(petNames(mock.baseUrl)).rejects.toThrow("the service returned 500");

  await mock.assertReceived({ operation: "listPets", status: 500 });
});
