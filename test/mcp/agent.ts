import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { version } from "../../src/library/version.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { serveTools } from "../../src/tools/mcp/index.ts";
import { bin } from "../setup/run.ts";

/** The result of a tool. */
export interface Result {
  readonly isError: boolean;
  /** The text of the result. */
  readonly text: string;
  /** The structured content. Undefined for errors. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with expected values
  readonly content: any;
}

export interface Agent {
  readonly client: Client;
  call(tool: string, values?: object): Promise<Result>;
  /** Ends the input of the command, and waits for its end. */
  close(): Promise<void>;
}

/** Starts `resource-mock mcp`, and connects a client of the SDK to it. */
export function startAgent(args: readonly string[], environment: Record<string, string> = {}): Promise<Agent> {
  return connectAgent(process.execPath, [bin, "mcp", ...args], {
    env: { PATH: process.env.PATH ?? "", ...environment },
  });
}

/** Connects a client of the SDK to the tools in this process. */
export async function agentOf(url: string, adminToken?: string, contract = serviceContract): Promise<Agent> {
  const [own, others] = InMemoryTransport.createLinkedPair();
  await serveTools(others, { url, adminToken, contract, version, warn: console.warn });
  return agentAt(own);
}

/** Starts a command, and connects a client of the SDK to its standard input and output. */
export function connectAgent(
  command: string,
  args: readonly string[],
  options: { readonly env: Record<string, string>; readonly cwd?: string },
): Promise<Agent> {
  return agentAt(new StdioClientTransport({ command, args: [...args], ...options, stderr: "ignore" }));
}

async function agentAt(transport: Transport): Promise<Agent> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  // The client validates results by the schemas of listed tools.
  await client.listTools();
  return {
    client,
    close: () => client.close(),
    async call(tool, values = {}) {
      const {
        isError = false,
        content,
        structuredContent,
      } = await client.callTool({ name: tool, arguments: { ...values } });
      const [first] = content as { text: string }[];
      return { isError: isError === true, text: first?.text ?? "", content: structuredContent };
    },
  };
}
