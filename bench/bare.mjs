import { createServer } from "node:http";

/**
 * What resource-mock is held against: Node's own server, sending the same bytes with the same headers and doing nothing
 * else. The answers by method come as JSON in the environment, and the port. Plain JavaScript, as stripping types would slow its start.
 */
const answers = JSON.parse(process.env.BARE_ANSWERS ?? "{}");

const server = createServer((request, response) => {
  const { headers, body } = answers[request.method];
  const send = () => response.writeHead(200, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
  if (request.method === "GET") send();
  else request.resume().on("end", send);
});
server.listen(Number(process.env.BARE_PORT ?? 0), "127.0.0.1", () =>
  console.log(`bare listening on http://127.0.0.1:${server.address().port}`),
);
