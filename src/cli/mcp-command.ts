import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { serviceContract } from "../contract/index.ts";
import { runMock, version } from "../library/index.ts";
import { serveTools } from "../tools/mcp/index.ts";
import type { Options } from "./flags.ts";

/**
 * Serves the control of a mock to an agent, with the Model Context Protocol on standard input and output. Without
 * `--url`, starts a mock of its own. Ends when the standard input ends, and at SIGTERM and SIGINT.
 */
export async function run(options: Options<"mcp">): Promise<void> {
  const { url, adminToken } = options;
  const mock = url === undefined ? await runMock({ ...options, cors: false }) : undefined;
  const server = await serveTools(new StdioServerTransport(), {
    url: url ?? mock?.url ?? "",
    adminToken,
    contract: serviceContract,
    version,
    // The standard output belongs to the protocol.
    warn: (line) => process.stderr.write(`resource-mock: ${line}\n`),
  });
  const close = () => void server.close();
  process.once("SIGTERM", close).once("SIGINT", close);
  // Clients that send all messages at once close the input before they read the responses.
  for (const event of ["end", "close"]) process.stdin.once(event, () => void server.idle().then(close));
  await server.closed;
  process.off("SIGTERM", close).off("SIGINT", close);
  await mock?.close();
}
