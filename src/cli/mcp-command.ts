import { pipeline, Transform } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { MAX_MESSAGE_BYTES } from "../contract/index.ts";
import { loadService, runMock, version } from "../library/index.ts";
import { serveTools } from "../tools/mcp/index.ts";
import type { Options } from "./flags.ts";

/**
 * Serves the control of a mock to an agent, with the Model Context Protocol on standard input and output. Without
 * `--url`, starts a mock of its own. Ends when the standard input ends, and at SIGTERM and SIGINT.
 */
export async function run(options: Options<"mcp">): Promise<void> {
  const { url, adminToken } = options;
  const service = await loadService(options);
  const mock = url === undefined ? await runMock({ ...options, cors: false }, { service }) : undefined;
  // The standard output belongs to the protocol.
  const warn = (line: string) => process.stderr.write(`resource-mock: ${line}\n`);
  const input = pipeline(process.stdin, shortLines(warn), () => {});
  const server = await serveTools(new StdioServerTransport(input), {
    url: url ?? mock?.url ?? "",
    adminToken,
    contract: service.contract,
    version,
    warn,
  });
  const close = () => void server.close();
  process.once("SIGTERM", close).once("SIGINT", close);
  // Clients that send all messages at once close the input before they read the responses.
  for (const event of ["end", "close"]) input.once(event, () => void server.idle().then(close));
  await server.closed;
  input.destroy();
  process.off("SIGTERM", close).off("SIGINT", close);
  await mock?.close();
}

const NEWLINE = 0x0a;

/** Passes lines on, each as a whole. Leaves out lines above the limit, which would end the connection. */
function shortLines(warn: (line: string) => void): Transform {
  let parts: Uint8Array[] = [];
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let start = 0, end = 0; start < chunk.length; start = end) {
        end = chunk.indexOf(NEWLINE, start) + 1 || chunk.length;
        const before = size;
        size += end - start;
        if (size <= MAX_MESSAGE_BYTES) parts.push(chunk.subarray(start, end));
        else parts = [];
        if (before <= MAX_MESSAGE_BYTES && size > MAX_MESSAGE_BYTES) {
          warn(`ignored a message: expected at most ${MAX_MESSAGE_BYTES} bytes in a line, found more`);
        }
        if (chunk[end - 1] !== NEWLINE) continue;
        if (parts.length > 0) this.push(Buffer.concat(parts));
        parts = [];
        size = 0;
      }
      done();
    },
  });
}
