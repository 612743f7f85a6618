import { createServer } from "node:http";

/**
 * The baseline for resource-mock: a bare `node:http` server that sends fixed bytes. BARE_RESPONSES is a JSON object of
 * responses by method, BARE_PORT the port. The file is JavaScript because stripping types would slow down the start.
 */
const responses = JSON.parse(process.env.BARE_RESPONSES ?? "{}");

const server = createServer((request, response) => {
  const { headers, body } = responses[request.method];
  const send = () => response.writeHead(200, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
  if (request.method === "GET") send();
  else request.resume().on("end", send);
});
server.listen(Number(process.env.BARE_PORT ?? 0), "127.0.0.1", () =>
  console.log(`bare listening on http://127.0.0.1:${server.address().port}`),
);
