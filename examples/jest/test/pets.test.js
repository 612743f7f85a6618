const { expect, test } = require("@jest/globals");
const { useResourceMock } = require("resource-mock/jest");

// The mock behaves like the service that this document describes.
const mock = useResourceMock({ contract: "petstore.yaml" });

/** @type {(pet: object) => Promise<Response>} */
const addPet = (pet) =>
  fetch(`${mock.baseUrl}/pets`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(pet),
  });

test("reads the pet that it has added", async () => {
  const { id } = await (await addPet({ name: "Ada", kind: "cat" })).json();

  const response = await fetch(`${mock.baseUrl}/pets/${id}`);

  expect(await response.json()).toEqual({ id, name: "Ada", kind: "cat" });
  await expect(mock).toHaveNoViolations();
});

test("gets 409 for a second pet with the same id", async () => {
  await mock.seed({ "/pets": [{ id: 7, name: "Ada", kind: "cat" }] });

  const response = await addPet({ id: 7, name: "Bella", kind: "dog" });

  expect(response.status).toBe(409);
  expect(await response.json()).toEqual({ code: 409, message: '/id: expected an id that no item has, found "7"' });
});
