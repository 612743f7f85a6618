import { FilesError, problemLine } from "../fixtures/file-problem.ts";
import { flagHelp, Misuse, readFlags } from "./flags.ts";

type Command = (args: string[]) => Promise<void>;

/** The commands; each but `serve` is loaded only when it is asked for. */
const commands: Readonly<Record<string, { help: string; run: Command }>> = {
  serve: {
    help: "serve the interface (the default)",
    run: async (args) => (await import("./serve.ts")).serveCommand(readFlags(args, process.env)),
  },
  check: {
    help: "hold fixtures and scenarios against the contract, listing every problem (--fixtures, --scenarios)",
    run: async (args) => (await import("./check.ts")).checkCommand(readFlags(args, process.env)),
  },
  openapi: {
    help: "print the contract as OpenAPI 3.1 (--fixtures DIR)",
    run: async (args) => (await import("./openapi.ts")).openapiCommand(readFlags(args, process.env)),
  },
};

function help(): string {
  const list = Object.entries(commands).map(([name, command]) => `  ${name.padEnd(9)}${command.help}`);
  return `resource-mock: a stand-in for the Generic Resource Service

Usage: resource-mock [command] [flags]

Commands:
${list.join("\n")}

Flags (each with an environment twin, such as RESOURCE_MOCK_PORT for --port):
${flagHelp()}
  --help, --version
`;
}

/** Runs a command line. What is wrong with it, with a file or with the port is one clear line and exit code 2. */
export async function run(args: string[]): Promise<void> {
  try {
    const [first = ""] = args;
    if (args.includes("--help") || args.includes("-h") || first === "help") {
      process.stdout.write(help());
    } else if (args.includes("--version")) {
      process.stdout.write(`${(await import("../version.ts")).version}\n`);
    } else {
      const named = Object.hasOwn(commands, first);
      if (first !== "" && !named && !first.startsWith("-")) {
        throw new Misuse(`unknown command "${first}"; expected ${Object.keys(commands).join(", ")}`);
      }
      await commands[named ? first : "serve"]?.run(named ? args.slice(1) : args);
    }
  } catch (error) {
    process.stderr.write(`resource-mock: ${explain(error)}\n`);
    process.exitCode = 2;
  }
}

function explain(error: unknown): string {
  if (error instanceof Misuse) return error.message;
  if (error instanceof FilesError) {
    const [first, ...rest] = error.problems;
    const more = rest.length === 0 ? "" : ` (and ${rest.length} more; resource-mock check lists them)`;
    return `${first ? problemLine(first) : error.message}${more}`;
  }
  const { code, message } = error as NodeJS.ErrnoException & { port?: number };
  const { port, address } = error as { port?: number; address?: string };
  if (code === "EADDRINUSE") return `port ${port} is in use; --port 0 picks a free one`;
  if (code === "EACCES") return `port ${port} may not be listened on by this user; choose one above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `--host: this machine has no address ${address ?? message}`;
  return message;
}
