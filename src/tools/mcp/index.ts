/** The control of a mock by an agent, with the Model Context Protocol. */

import { setImmediate } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { type Contract, didYouMean, findProblems, mapParts, type Schema, shown } from "../../contract/index.ts";
import { ControlError, connectionTo, limitedFetch, mockClient, problemText } from "../../control/client/index.ts";
import { InvalidArguments, type ObjectSchema, type Tool } from "./tool.ts";
import { toolsFor } from "./tools.ts";

export interface McpOptions {
  readonly url: string;
  /** The bearer token of the control API, if the mock requires one. */
  readonly adminToken: string | undefined;
  readonly contract: Contract;
  readonly version: string;
  /** Receives problems that no response can report, such as an invalid line. One line each. */
  readonly warn: (line: string) => void;
}

/** Serves the tools to the client behind the transport. */
export async function serveTools(transport: Transport, options: McpOptions) {
  const { url, contract, version, warn } = options;
  const tools = toolsFor(contract);
  const known = new Map(tools.map((each) => [each.name, each]));
  const server = new Server(
    { name: "resource-mock", title: "resource-mock", version },
    { capabilities: { tools: {} }, instructions: instructionsFor(url, contract) },
  );
  const calls = new Set<Promise<unknown>>();
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, title, description, input, hints }) => ({
      name,
      title,
      description,
      inputSchema: listed(input) as { type: "object" },
      annotations: { title, ...hints },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const found = known.get(params.name);
    if (!found) {
      const hint = didYouMean(params.name, [...known.keys()]);
      const expected = [...known.keys()].join(", ");
      const message = `name: expected one of ${expected}, found ${shown(params.name)}.${hint}`;
      throw new McpError(ErrorCode.InvalidParams, message);
    }
    const result = call(found, params.arguments ?? {}, options, signal);
    calls.add(result);
    return result.finally(() => calls.delete(result));
  });
  server.onerror = ({ message }) => warn(`ignored a message: ${message.replaceAll(/\s+/g, " ").slice(0, 200)}`);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(transport);
  return {
    /** Resolves when all received messages have a response. */
    async idle(): Promise<void> {
      // In a turn of the event loop, a received message becomes a call, and the result of a call is sent.
      do {
        await Promise.all(calls);
        await setImmediate();
      } while (calls.size > 0);
    },
    /** Ends the connection, and the calls in progress. */
    close: () => server.close(),
    /** Resolves when the connection has ended, for example because a message was too large. */
    closed,
  };
}

/** Calls a tool. Every failure becomes an error result, which the model can read and correct. Never rejects. */
async function call(
  { input, bodies = [], run }: Tool,
  values: object,
  { url, adminToken, contract }: McpOptions,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const problems = await findProblems(input, values);
    if (problems.length > 0) {
      const errors = problems.map(({ pointer, message }) => ({ detail: `${pointer || "arguments"}: ${message}` }));
      return failed(problemText({ title: "Invalid value", detail: errors[0]?.detail, errors }));
    }
    const connection = connectionTo(url, { adminToken, fetch: limitedFetch(signal) });
    const result = await run({ connection, client: mockClient(connection), contract }, values);
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: { ...result } };
  } catch (error) {
    const argument = bodies.find((name) => name in values);
    return failed(messageOf(error, argument));
  }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Returns the message of an error. Locations in the body become locations in the arguments. */
function messageOf(error: unknown, argument: string | undefined): string {
  if (error instanceof InvalidArguments) return `Invalid value: ${error.message}`;
  if (!(error instanceof ControlError)) return error instanceof Error ? error.message : String(error);
  const { status, problem } = error;
  const { errors } = problem;
  if (status === undefined || argument === undefined || !Array.isArray(errors)) return error.message;
  const moved = errors.map(({ pointer, detail }: { pointer?: string; detail: string }) => {
    return { detail: pointer !== undefined && detail.startsWith(pointer) ? `/${argument}${detail}` : detail };
  });
  return `${status} ${problemText({ ...problem, detail: moved[0]?.detail ?? problem.detail, errors: moved })}`;
}

function instructionsFor(address: string, { info, operations: [operation], addresses }: Contract): string {
  const url = address.replace(/\/+$/, "");
  const path = `${addresses.project === undefined ? "/{project}" : ""}${operation?.path ?? ""}`;
  return `resource-mock is a stand-in for the service "${info.title}". It runs at ${url}, and the application under test sends its requests to ${url}, such as ${url}${path}. Each project key is an isolated sandbox with its own state, scenarios, rules and journal: use a new project key for each test. First call read_contract. Then seed resources and use scenarios or rules, run the test, and read the journal, verify or read the coverage. A person can watch the requests on the dashboard at ${url}/__admin/ui.`;
}

/** The shortest repeated part that a reference replaces, in UTF-16 units of JSON. */
const MIN_REPEATED = 100;

/**
 * Returns the schema for the list of tools, which the model has in its context all the time: where the schema of an
 * argument repeats, it refers to the first one, such as "Same as rule.respond". The server validates arguments by the
 * whole schema, and the control API validates the names of operations.
 */
function listed(schema: ObjectSchema): ObjectSchema {
  const places = new Map<Schema, string>();
  /** @param place the path of the argument; undefined for a part without a name, such as an alternative */
  const brief = (part: Schema, place: string | undefined): Schema => {
    const first = places.get(part);
    if (place !== undefined && first !== undefined && JSON.stringify(part).length >= MIN_REPEATED) {
      const { type, const: only } = part;
      return { ...(type && { type }), ...(only !== undefined && { const: only }), description: `Same as ${first}.` };
    }
    if (place !== undefined) places.set(part, place);
    const names = new Map(Object.entries(part.properties ?? {}).map(([name, member]) => [member, name]));
    const placeOf = (inner: Schema) => {
      if (inner === part.items) return place;
      const name = names.get(inner);
      return name === undefined || place === undefined ? undefined : `${place}${place && "."}${name}`;
    };
    return mapParts(part, (inner) => brief(inner, placeOf(inner))) as Schema;
  };
  return brief(schema, "") as ObjectSchema;
}
