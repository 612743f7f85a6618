import assert from "node:assert/strict";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

/** The same test file with MSW and its handlers. Parameter: the body of the POST. */
const [body] = process.argv.slice(2);
const baseUrl = "https://api.example/shop";

const received = [];
const server = setupServer(
  http.get(`${baseUrl}/resource/:id`, () => HttpResponse.json({ version: 1 })),
  http.post(`${baseUrl}/resource`, async ({ request }) =>
    HttpResponse.json({ ...(await request.json()), version: 1 }, { status: 201 }),
  ),
);
server.events.on("request:start", ({ request }) => {
  received.push(request);
});
server.listen();

const read = await fetch(`${baseUrl}/resource/some-id`);
assert.equal((await read.json()).version, 1);

const created = await fetch(`${baseUrl}/resource`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body,
});
assert.equal(created.status, 201);
assert.equal((await created.json()).version, 1);

server.use(http.post(`${baseUrl}/resource/:id`, () => HttpResponse.json({ statusCode: 409 }, { status: 409 })));

assert.equal(received.filter(({ method }) => method === "POST").length, 1);

server.close();
