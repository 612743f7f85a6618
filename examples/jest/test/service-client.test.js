const { beforeEach, expect, test } = require("@jest/globals");
const { useResourceMock } = require("resource-mock/jest");
const { createServiceClient } = require("../src/service-client.js");

const mock = useResourceMock();

/** Returns a token from the mock. With `auth: "strict"`, the mock checks its expiry and its scopes. */
const getToken = async () => (await mock.token({ expiresIn: 3600 })).access_token;

beforeEach(async () => {
  await mock.settings.set({ auth: "strict" });
  await mock.seed({ id: "shirt", objectTypeProperty: {} });
});

test("deletes with a token", async () => {
  await createServiceClient(mock.baseUrl, getToken).deleteResource("shirt");

  await expect(mock).toHaveReceived({ operation: "deleteResource", status: 200 }, { count: 1 });
});

test("gets a new token when the old one has expired", async () => {
  const client = createServiceClient(mock.baseUrl, getToken);
  await client.deleteResource("shirt");
  await mock.clock.advance(3600 * 1000);

  await client.deleteResource("trousers");

  await expect(mock).toHaveReceivedInOrder([
    { operation: "deleteResource", status: 200 },
    { operation: "deleteResource", status: 401 },
    { operation: "deleteResource", status: 200 },
  ]);
});

test("succeeds when the resource is already deleted", async () => {
  const client = createServiceClient(mock.baseUrl, getToken);
  await client.deleteResource("shirt");
  await client.deleteResource("shirt");

  await expect(mock).toHaveReceived({ operation: "deleteResource", status: 404 });
});
