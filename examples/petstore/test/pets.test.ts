import { expect, test } from "resource-mock/vitest";
import { addPet, type Pet, petNames, readPet } from "../src/pets.ts";

test("lists the pets of the example in the document", async ({ mock }) => {
  expect(await petNames(mock.baseUrl)).toEqual(["Rex", "Tom"]);

  await expect(mock).toHaveReceived({ operation: "listPets", query: { limit: "10" } }, { count: 1 });
  await expect(mock).toHaveNoViolations();
});

test("reads the pet that it has added", async ({ mock }) => {
  const { id } = await addPet(mock.baseUrl, { name: "Ada", kind: "cat" });

  expect(await readPet(mock.baseUrl, id)).toEqual({ id, name: "Ada", kind: "cat" });
  expect(await readPet(mock.baseUrl, id + 1)).toBeUndefined();
  await expect(mock).toHaveReceived({ operation: "createPet", body: { name: "Ada" } }, { count: 1 });
});

// Each test has its own project, so no test sees the pets of another test.
for (const name of ["Ada", "Bella", "Carl"]) {
  test.concurrent(`adds ${name} to its own list, in parallel`, async ({ mock }) => {
    await addPet(mock.baseUrl, { name, kind: "dog" });

    expect(await petNames(mock.baseUrl)).toEqual(["Rex", "Tom", name]);
  });
}

test("shows why the service rejects an invalid pet", async ({ mock }) => {
  const fish = { name: "Bubbles", kind: "fish" } as unknown as Pet;

  await expect(addPet(mock.baseUrl, fish)).rejects.toThrow('/kind: expected one of "dog", "cat", found "fish"');
  expect(await petNames(mock.baseUrl)).toEqual(["Rex", "Tom"]);
});

test("shows why the service rejects a second pet with the same id", async ({ mock }) => {
  await mock.seed({ "/pets": [{ id: 7, name: "Ada", kind: "cat" }] });

  const duplicate = addPet(mock.baseUrl, { id: 7, name: "Bella", kind: "dog" });

  await expect(duplicate).rejects.toThrow('/id: expected an id that no item has, found "7"');
  await expect(mock).toHaveReceived({ operation: "createPet", status: 409 }, { count: 1 });
});

test("fails while the service fails", async ({ mock }) => {
  await mock.use("server-error");

  await expect(petNames(mock.baseUrl)).rejects.toThrow("the service returned 500");

  await mock.assertReceived({ operation: "listPets", status: 500 });
});
