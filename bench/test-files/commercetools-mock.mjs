import assert from "node:assert/strict";
import { CommercetoolsMock, getBaseResourceProperties } from "@labdigital/commercetools-mock";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

/** The same test file with commercetools-mock and categories. It uses MSW, as commercetools-mock recommends. */
const host = "https://api.example";
const baseUrl = `${host}/shop`;
const draft = { name: { en: "Shirts" }, slug: { en: "shirts" }, orderHint: "0.5" };

const mock = new CommercetoolsMock({
  apiHost: host,
  authHost: host,
  defaultProjectKey: "shop",
  enableAuthentication: false,
  validateCredentials: false,
  silent: true,
});
await mock.project().unsafeAdd("category", { ...getBaseResourceProperties(), ...draft, id: "some-id", ancestors: [] });
const received = [];
const server = setupServer();
server.events.on("request:start", ({ request }) => {
  received.push(request);
});
server.listen();
mock.registerHandlers(server);

const read = await fetch(`${baseUrl}/categories/some-id`);
assert.equal((await read.json()).id, "some-id");

const created = await fetch(`${baseUrl}/categories`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ ...draft, slug: { en: "new-shirts" } }),
});
assert.equal(created.status, 201);
assert.equal((await created.json()).version, 1);

server.use(http.post(`${baseUrl}/categories/:id`, () => HttpResponse.json({ statusCode: 409 }, { status: 409 })));

assert.equal(received.filter(({ method }) => method === "POST").length, 1);

server.close();
