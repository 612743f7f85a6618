/**
 * The command `resource-mock`: it reads the arguments and loads one of its commands. The flags are in `flags.ts` and in
 * `library/options`.
 */

import { didYouMean, shown } from "../contract/index.ts";
import { Misuse, version } from "../library/index.ts";
import { FilesError, firstProblem } from "../state/index.ts";
import {
  type CommandName,
  commandNames,
  flagHelp,
  flagsOf,
  type Options,
  readFlags,
  unknownVariables,
} from "./flags.ts";
import { print } from "./terminal.ts";

/** The commands; each module is loaded when its command runs. */
const commands: {
  readonly [Name in CommandName]: {
    readonly help: string;
    /** The arguments after `--` in the usage; undefined if the command has none. */
    readonly rest?: string;
    load(): Promise<{ run(options: Options<Name>, rest: readonly string[]): Promise<void> }>;
  };
} = {
  serve: { help: "Start the mock (the default)", load: () => import("./serve.ts") },
  check: {
    help: "Validate a contract, fixtures and scenarios, and list every problem",
    load: async () => ({ run: (await import("./files-commands.ts")).check }),
  },
  compare: { help: "Compare the real service with the mock", load: () => import("./compare-command.ts") },
  coverage: {
    help: "Show which failures were tried on clients, and require a share of them",
    load: () => import("./coverage-command.ts"),
  },
  openapi: {
    help: "Print the contract as OpenAPI 3.1",
    load: async () => ({ run: (await import("./files-commands.ts")).openapi }),
  },
  mcp: {
    help: "Let an agent control a mock, by the Model Context Protocol (stdio)",
    load: () => import("./mcp-command.ts"),
  },
  pact: { help: "Write a pact of the requests of a project", load: () => import("./pact-command.ts") },
  sweep: {
    help: "Run a command once for each transient failure, and report which it survives",
    rest: "-- COMMAND…",
    load: () => import("./sweep-command.ts"),
  },
};

function helpOf(command: CommandName): string {
  const list = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(9)}${help}`);
  const [example] = flagsOf(command);
  const { rest } = commands[command];
  return `resource-mock: a mock server that behaves like the service in an OpenAPI document

Without --contract, resource-mock behaves like its built-in example, the Generic Resource Service.

Usage: resource-mock ${command === "serve" ? "[command]" : command} [flags]${rest ? ` ${rest}` : ""}

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
    const [first = "", ...others] = args;
    const command = commandNames.find((name) => name === first) ?? "serve";
    const named = command === first;
    const [own, rest] = splitAtTerminator(command, named ? others : args);
    if (own.includes("--help") || own.includes("-h") || first === "help") {
      await print(helpOf(command));
    } else if (own.includes("--version")) {
      await print(`${version}\n`);
    } else if (first !== "" && !named && !first.startsWith("-")) {
      const names = Object.keys(commands);
      const hint = didYouMean(first, [...names, "help"]).replace(/^ /, ". ");
      throw new Misuse(`unknown command ${shown(first)}; expected ${names.join(", ")}${hint}`);
    } else {
      await runCommand(command, own, rest);
    }
  } catch (error) {
    process.stderr.write(`resource-mock: ${explain(error)}\n`);
    process.exitCode = 2;
  }
}

/** Returns the flags of the command, and the arguments after `--` if the command has such arguments. */
function splitAtTerminator(command: CommandName, args: string[]): [own: string[], rest: string[]] {
  const end = commands[command].rest === undefined ? -1 : args.indexOf("--");
  return end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
}

async function runCommand<Name extends CommandName>(
  command: Name,
  args: readonly string[],
  rest: readonly string[],
): Promise<void> {
  const options = await readFlags(command, args, process.env);
  for (const line of unknownVariables(process.env)) process.stderr.write(`resource-mock: warning: ${line}\n`);
  const { run } = await commands[command].load();
  await run(options, rest);
}

function explain(error: unknown): string {
  if (error instanceof Misuse) return error.message;
  if (error instanceof FilesError) return firstProblem(error.problems);
  return (error as Error).message;
}
