import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { type Figure, median, milliseconds, quantile, type Row, ratio } from "./figures.ts";
import { inTurn, runProcess } from "./measuring.ts";
import { install } from "./peers/install.ts";
import { type Command, dist, repository } from "./servers.ts";

// Measures the cost that a test suite pays once per test file, because modules load on their first use.

const ROUNDS = 21;

/** The body of the POST: a resource without the fields that the mock adds. */
const { version: _, ...draft } = JSON.parse(readFileSync(`${repository}fixtures/createResource/201.json`, "utf8"));
const body = JSON.stringify(draft);

const emptyFile: Command = { args: [`${repository}bench/test-files/empty.mjs`] };

/** The same test file with Node's own server, and with a mock of the petstore. */
const nodeFile: Command = { args: [`${repository}bench/test-files/node.mjs`, body] };
const contractFile: Command = {
  args: [`${repository}bench/test-files/contract.mjs`, dist, `${repository}examples/petstore/petstore.yaml`],
};

/** Returns the command of a test file with this `dist` folder: import, start, GET, POST, `use`, `verify`, close. */
export function testFileWith(folder: string): Command {
  return { args: [`${repository}bench/test-files/resource-mock.mjs`, folder, body] };
}

/** The same test file for other mocks, by the name of their npm package. */
const peerFiles = { msw: "msw.mjs", "@labdigital/commercetools-mock": "commercetools-mock.mjs" };

/** Measures a test file in a fresh process, compared with an empty process and with the same file for other mocks. */
export async function* testFile(): AsyncGenerator<Row> {
  const folder = mkdtempSync(`${tmpdir()}/resource-mock-test-files-`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const own = { mock: testFileWith(dist), contract: contractFile, node: nodeFile, empty: emptyFile };
  const commands: Record<string, Command> = { ...own };
  const omissions: Row[] = [];
  for (const [name, file] of Object.entries(peerFiles)) {
    try {
      commands[name] = await installed(`${folder}/${name}`, name, file);
    } catch (error) {
      omissions.push({ what: rowAgainst(name), reason: (error as Error).message });
    }
  }
  const times = await inTurn(
    Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, () => timeOf(command)])),
    ROUNDS,
  );
  remove();
  process.off("exit", remove);

  const { mock = [], contract = [], node = [], empty = [], ...peers } = times;
  yield {
    what: "test file: more than an empty process",
    value: median(mock.map((time, round) => time - (empty[round] ?? Number.NaN))),
    unit: "ms",
    bar: { atMost: 150 },
    from: `${milliseconds(median(mock))} against ${milliseconds(median(empty))}`,
  };
  yield ratio("test file: against Node's own server", { atMost: 1.6 }, [mock, node], milliseconds);
  const withContract = "test file with a contract: against Node's own server";
  yield ratio(withContract, { atMost: 2.2 }, [contract, node], milliseconds);
  for (const [name, peer] of Object.entries(peers))
    yield ratio(rowAgainst(name), { atMost: 1 }, [mock, peer], milliseconds);
  yield* omissions;
}

function rowAgainst(peer: string): string {
  return `test file: against ${peer.replace(/^@.*\//, "")}`;
}

/** Installs the newest version of a peer, and returns the command of its test file after one unmeasured run. */
async function installed(folder: string, name: string, file: string): Promise<Command> {
  await install(folder, name, `${name}@latest`);
  await cp(`${repository}bench/test-files/${file}`, `${folder}/${file}`);
  const command = { args: [`${folder}/${file}`, body], folder };
  await runProcess(command);
  return command;
}

export async function timeOf(command: Command): Promise<number> {
  return (await runProcess(command)).time;
}

/** The steps of a test file after its start and one GET, in this order, with their bars in milliseconds. */
export const steps = {
  post: { what: "first POST after the first GET", atMost: 10 },
  use: { what: "first use", atMost: 8 },
  rule: { what: "first rule", atMost: 8 },
  verify: { what: "first verify", atMost: 8 },
} as const;
export type Step = keyof typeof steps;

/** Measures the first steps of a test file. Each step runs in its own fresh processes, after the earlier steps. */
export async function* firstSteps(): AsyncGenerator<Figure> {
  const names = Object.keys(steps) as Step[];
  const times = await inTurn(
    Object.fromEntries(names.map((name) => [name, () => stepTime(dist, name)])) as Record<Step, () => Promise<number>>,
    ROUNDS,
  );
  for (const name of names) {
    const { what, atMost } = steps[name];
    const [low, high] = [quantile(times[name], 0.25), quantile(times[name], 0.75)];
    const from = `${ROUNDS} fresh processes, half of them ${milliseconds(low)} to ${milliseconds(high)}`;
    yield { what, value: median(times[name]), unit: "ms", bar: { atMost }, from };
  }
}

/** Returns the milliseconds of this step in a fresh process with this `dist` folder. */
export async function stepTime(folder: string, step: Step): Promise<number> {
  const { output } = await runProcess({ args: [`${repository}bench/first-step.mjs`, folder, body, step] });
  return Number(output);
}
