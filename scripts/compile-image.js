/**
 * Runs while the image is built, with the Node of the image: starts the server in /app, without and with a contract and files,
 * and sends requests. So the image has the compiled code (NODE_COMPILE_CACHE), which a container cannot keep for the next one.
 */
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { cpSync, rmSync, writeFileSync } = require("node:fs");

const folder = "/tmp/compile";
const contract = `${folder}/contract.yaml`;
// Files with names of their own are checked at the start.
cpSync("/app/scenarios/conflict.json", `${folder}/scenarios/own.json`);
cpSync("/app/fixtures/getCart/404.json", `${folder}/fixtures/getCart/404.own.json`);
writeFileSync(contract, 'openapi: 3.1.0\npaths: { /pets: { get: { responses: { "200": {} } } } }\n');

async function compile(...args) {
  const command = ["/app/dist/resource-mock.mjs", "--port", "0", "--log", "off", "--no-cache", ...args];
  const server = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  const [url] = /http:\S+/.exec(line);
  for (const path of ["/demo/resource", "/demo/pets", "/__admin/health"]) await (await fetch(url + path)).text();
  server.kill();
  const [code] = await once(server, "exit");
  if (code !== 0) throw new Error(`exit code: expected 0, found ${code}`);
}

void compile("--fixtures", `${folder}/fixtures`, "--scenarios", `${folder}/scenarios`)
  .then(() => compile("--contract", contract))
  .then(() => rmSync(folder, { recursive: true }));
