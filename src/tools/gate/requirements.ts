import { didYouMean, type Scalar, scalarProblem, shown } from "../../contract/index.ts";

/** The least that the coverage of a run must reach. */
export interface Requirements {
  /** The percentage of operations with requests, from 0 to 100. */
  readonly operations?: number;
  /** The percentage of possible failures that were tried on the client, over the operations with requests, from 0 to 100. */
  readonly failures?: number;
  /** The most contract violations. */
  readonly violations?: number;
}

/** The requirements of the command, which can also read the report of a sweep. */
export interface CommandRequirements extends Requirements {
  /** The percentage of failures that the client survives in a sweep, from 0 to 100. */
  readonly survived?: number;
}

const percentage = { type: "number", minimum: 0, maximum: 100, title: "a percentage from 0 to 100" } as const;

const schemas: Readonly<Record<string, Scalar>> = {
  operations: percentage,
  failures: percentage,
  violations: { type: "integer", minimum: 0 },
} satisfies { readonly [Name in keyof Required<Requirements>]: Scalar };

const ofCommand: Readonly<Record<string, Scalar>> = { survived: percentage, ...schemas };

/** Validates requirements, as the options of the reporters hold them. Throws an Error with the first problem. */
export function checkedRequirements(value: unknown, known = schemas): Requirements {
  const names = Object.keys(known);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`expected an object such as { failures: 50 }, found ${shown(value)}`);
  const entries = Object.entries(value);
  if (entries.length === 0) throw new Error(`expected at least one of ${names.join(", ")}, found none`);
  for (const [name, number] of entries) {
    const problem = Object.hasOwn(known, name) ? scalarProblem(known[name] as Scalar, number) : undefined;
    if (problem) throw new Error(`${name}: ${problem}`);
    if (!Object.hasOwn(known, name)) {
      const hint = didYouMean(name, names);
      throw new Error(`expected ${names.join(", ")}, found ${shown(name)}${hint && `.${hint}`}`);
    }
  }
  return value as Requirements;
}

/** Parses requirements such as `survived=100,operations=80,violations=0`. Throws an Error with the first problem. */
export function readRequirements(text: string): CommandRequirements {
  const found: Record<string, unknown> = {};
  for (const part of text.split(",")) {
    const [name = "", number, ...rest] = part.split("=").map((each) => each.trim());
    if (number === undefined || rest.length > 0)
      throw new Error(`expected NAME=NUMBER, such as operations=80, found ${shown(part)}`);
    if (Object.hasOwn(found, name)) throw new Error(`${name}: expected once, found several times`);
    // A text that is no number stays, so that the problem shows it.
    found[name] = /^[+-]?\d+(\.\d+)?$/.test(number) ? Number(number) : number;
  }
  return checkedRequirements(found, ofCommand);
}
