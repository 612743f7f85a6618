import assert from "node:assert/strict";
import { test } from "node:test";
import { connectResourceMock } from "resource-mock/client";
import { patientFetch } from "../src/patient-fetch.js";

const mock = connectResourceMock(process.env.SERVICE_URL ?? "http://localhost:8080");

test("retries until the service is back", async () => {
  await using project = mock.project("back-soon");
  await project.use("unavailable-then-ok");

  const response = await patientFetch(`${project.baseUrl}/pets`);

  assert.deepEqual(await response.json(), [
    { id: 1, name: "Rex", kind: "dog" },
    { id: 2, name: "Tom", kind: "cat" },
  ]);
  await project.assertReceived({ operation: "listPets", status: 503 }, { atLeast: 1 });
});

test("adds a pet once, although the first attempt fails", async () => {
  await using project = mock.project("one-pet");
  await project.rule({ operation: "createPet", respond: { status: 503, headers: { "Retry-After": "0" } }, times: 1 });

  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ name: "Ada", kind: "cat" });
  await patientFetch(`${project.baseUrl}/pets`, { method: "POST", headers, body });

  const pets = await (await fetch(`${project.baseUrl}/pets`)).json();
  assert.deepEqual(
    pets.map(({ name }) => name),
    ["Rex", "Tom", "Ada"],
  );
  await project.assertReceived({ operation: "createPet" }, { count: 2 });
});

test("does not retry after 403", async () => {
  await using project = mock.project("forbidden");
  await project.use("insufficient-scope");

  const response = await patientFetch(`${project.baseUrl}/pets`);

  assert.equal(response.status, 403);
  await project.assertReceived({ operation: "listPets" }, { count: 1 });
});

test("stops after three attempts", async () => {
  await using project = mock.project("busy");
  await project.rule({ respond: { status: 429, headers: { "Retry-After": "0" } } });

  const response = await patientFetch(`${project.baseUrl}/pets`);

  assert.equal(response.status, 429);
  await project.assertReceived({ operation: "listPets" }, { count: 3 });
});
