import { expect, test } from "resource-mock/vitest";
import { createPatientClient } from "../src/patient-client.js";

test("reads the items of the cart", async ({ mock }) => {
  const getToken = async () => (await mock.token({ expiresIn: 3600 })).access_token;

  const items = await createPatientClient(mock.baseUrl, getToken).cartItems();

  expect(items.length).toBeGreaterThan(0);
});
