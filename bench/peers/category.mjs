import { CommercetoolsMock, getBaseResourceProperties } from "@labdigital/commercetools-mock";

/** Starts commercetools-mock with one category, its nearest equivalent of a resource. */
const mock = new CommercetoolsMock({
  defaultProjectKey: "bench",
  enableAuthentication: false,
  validateCredentials: false,
  silent: true,
});
await mock.project().unsafeAdd("category", {
  ...getBaseResourceProperties(),
  id: "some-id",
  key: "some-key",
  name: { en: "Shirts" },
  slug: { en: "shirts" },
  orderHint: "0.5",
  ancestors: [],
});
mock.runServer(Number(process.argv[2]));
