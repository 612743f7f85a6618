import { FilesError, problemLine } from "../fixtures/file-problem.ts";
import { version } from "../version.ts";
import { readFlags, unknownVariables } from "./command-line.ts";
import { flagHelp, type ServeOptions } from "./flags.ts";
import { print } from "./print.ts";
import { Misuse } from "./values.ts";

type Command = (options: ServeOptions) => Promise<void>;

/** The commands; each but `serve` is loaded only when it is asked for. */
const commands: Readonly<Record<string, { help: string; run: Command }>> = {
  serve: {
    help: "serve the interface (the default)",
    run: async (options) => (await import("./serve.ts")).serveCommand(options),
  },
  check: {
    help: "hold fixtures and scenarios against the contract, listing every problem (--fixtures, --scenarios)",
    run: async (options) => (await import("./check.ts")).checkCommand(options),
  },
  openapi: {
    help: "print the contract as OpenAPI 3.1 (--fixtures DIR)",
    run: async (options) => (await import("./openapi.ts")).openapiCommand(options),
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
  // An output that cannot be written is no reason to stop: a log may fail. Where it matters, `print` says so.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    const [first = ""] = args;
    if (args.includes("--help") || args.includes("-h") || first === "help") {
      await print(help());
    } else if (args.includes("--version")) {
      await print(`${version}\n`);
    } else {
      const named = Object.hasOwn(commands, first);
      if (first !== "" && !named && !first.startsWith("-")) {
        throw new Misuse(`unknown command "${first}"; expected ${Object.keys(commands).join(", ")}`);
      }
      const options = readFlags(named ? args.slice(1) : args, process.env);
      for (const line of unknownVariables(process.env)) process.stderr.write(`resource-mock: warning: ${line}\n`);
      await commands[named ? first : "serve"]?.run(options);
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
  return (error as Error).message;
}
