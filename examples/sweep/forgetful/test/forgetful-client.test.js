const { expect, test } = require("@jest/globals");
const { useResourceMock } = require("resource-mock/jest");
const { createForgetfulClient } = require("../src/forgetful-client.js");

const mock = useResourceMock();
const getToken = async () => (await mock.token({ expiresIn: 3600 })).access_token;

test("sets the property", async () => {
  await mock.seed({ id: "shirt", objectTypeProperty: {} });

  await createForgetfulClient(mock.baseUrl, getToken).setSomeProperty("shirt", "linen");

  expect(await mock.resources.get("shirt")).toMatchObject({ someProperty: "linen" });
});
