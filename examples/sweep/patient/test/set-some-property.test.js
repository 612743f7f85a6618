import { expect, test } from "resource-mock/vitest";
import { createPatientClient } from "../src/patient-client.js";

test("sets the property", async ({ mock }) => {
  await mock.settings.set({ auth: "strict" });
  await mock.seed({ id: "shirt", objectTypeProperty: {} });
  const getToken = async () => (await mock.token({ expiresIn: 3600 })).access_token;

  await createPatientClient(mock.baseUrl, getToken).setSomeProperty("shirt", "linen");

  expect(await mock.resources.get("shirt")).toMatchObject({ someProperty: "linen" });
});
