import assert from "node:assert/strict";
import { test } from "node:test";
import { connectResourceMock } from "resource-mock/client";
import { patientFetch } from "../src/patient-fetch.js";

const mock = connectResourceMock(process.env.SERVICE_URL ?? "http://localhost:8080");

test("retries until the service is back", async () => {
  await using project = mock.project("back-soon");
  await project.use("unavailable-then-ok");

  const response = await patientFetch(`${project.baseUrl}/resource`);

  assert.equal(response.status, 200);
  await project.assertReceived({ operation: "queryResources", status: 503 }, { atLeast: 1 });
});

test("does not retry after 403", async () => {
  await using project = mock.project("forbidden");
  await project.use("insufficient-scope");

  const response = await patientFetch(`${project.baseUrl}/resource`);

  assert.equal(response.status, 403);
  await project.assertReceived({ operation: "queryResources" }, { count: 1 });
});

test("stops after three attempts", async () => {
  await using project = mock.project("busy");
  await project.rule({ respond: { status: 429, headers: { "Retry-After": "0" } } });

  const response = await patientFetch(`${project.baseUrl}/resource`);

  assert.equal(response.status, 429);
  await project.assertReceived({ operation: "queryResources" }, { count: 3 });
});
