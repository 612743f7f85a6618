import { createServer } from "node:http";

/**
 * What resource-mock is held against: Node's own server, sending the same bytes with the same headers and doing nothing
 * else. The answers by method come as JSON in the environment.
 */
const answers = JSON.parse(process.env.BARE_ANSWERS ?? "{}") as Record<string, { headers: object; body: string }>;

createServer((request, response) => {
  const { headers, body } = answers[request.method ?? "GET"] ?? { headers: {}, body: "" };
  const send = () => response.writeHead(200, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
  if (request.method === "GET") send();
  else request.resume().on("end", send);
}).listen(0, "127.0.0.1", function listening(this: { address(): unknown }) {
  const { port } = this.address() as { port: number };
  console.log(`bare listening on http://127.0.0.1:${port}`);
});
