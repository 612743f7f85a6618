import { FilesError, problemLine } from "../fixtures/file-problem.ts";
import { version } from "../version.ts";
import { readFlags, unknownVariables } from "./command-line.ts";
import { type CommandName, flagHelp, flagsOf, type Options } from "./flags.ts";
import { print } from "./print.ts";
import { Misuse } from "./values.ts";

/** The commands; each module is loaded when its command runs. */
const commands: {
  readonly [Name in CommandName]: { readonly help: string; run(options: Options<Name>): Promise<void> };
} = {
  serve: {
    help: "Serve the interface (the default)",
    run: async (options) => (await import("./serve.ts")).serveCommand(options),
  },
  check: {
    help: "Validate fixtures and scenarios, and list every problem",
    run: async (options) => (await import("./check.ts")).checkCommand(options),
  },
  openapi: {
    help: "Print the contract as OpenAPI 3.1",
    run: async (options) => (await import("./openapi.ts")).openapiCommand(options),
  },
};

function helpOf(command: CommandName): string {
  const list = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(9)}${help}`);
  const [example] = flagsOf(command);
  return `resource-mock: a mock server for the Generic Resource Service

Usage: resource-mock ${command === "serve" ? "[command]" : command} [flags]

Commands:
${list.join("\n")}

Flags of ${command}, each with an environment variable, such as ${example?.variable} for --${example?.name}:
${flagHelp(command)}
  --help, --version
`;
}

/** Runs a command line. If the command line, a file or the port is invalid, prints one line and sets exit code 2. */
export async function run(args: string[]): Promise<void> {
  // The server keeps running if it cannot write its log. Commands that must write their output use `print`.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    const [first = "", ...rest] = args;
    const named = isCommand(first);
    const command = named ? first : "serve";
    if (args.includes("--help") || args.includes("-h") || first === "help") {
      await print(helpOf(command));
    } else if (args.includes("--version")) {
      await print(`${version}\n`);
    } else if (first !== "" && !named && !first.startsWith("-")) {
      throw new Misuse(`unknown command "${first}"; expected ${Object.keys(commands).join(", ")}`);
    } else {
      await runCommand(command, named ? rest : args);
    }
  } catch (error) {
    process.stderr.write(`resource-mock: ${explain(error)}\n`);
    process.exitCode = 2;
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

async function runCommand<Name extends CommandName>(command: Name, args: readonly string[]): Promise<void> {
  const options = await readFlags(command, args, process.env);
  for (const line of unknownVariables(process.env)) process.stderr.write(`resource-mock: warning: ${line}\n`);
  await commands[command].run(options);
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
