import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

/** The same test file with Node's own server, which sends the bodies that the test expects. Parameter: the body of the POST. */
const [body] = process.argv.slice(2);

const received = [];
const server = createServer(async (request, response) => {
  let sent = "";
  for await (const chunk of request) sent += chunk;
  received.push({ method: request.method, url: request.url, body: sent });
  response.writeHead(request.method === "POST" ? 201 : 200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ ...(sent && JSON.parse(sent)), version: 1 }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const baseUrl = `http://127.0.0.1:${server.address().port}/shop`;

const read = await fetch(`${baseUrl}/resource/some-id`);
assert.equal((await read.json()).version, 1);

const created = await fetch(`${baseUrl}/resource`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body,
});
assert.equal(created.status, 201);
assert.equal((await created.json()).version, 1);

assert.equal(received.filter(({ method }) => method === "POST").length, 1);

server.closeAllConnections();
server.close();
await once(server, "close");
