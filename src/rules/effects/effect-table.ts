import { join, type Problem, type Schema } from "../../contract/index.ts";
import type { AnyFunction } from "../function.ts";
import type { Effect } from "./effect.ts";
import { effects } from "./rule-effects.ts";
import { respond } from "./stub-effects.ts";

/** The effect of a function. Only a test that embeds the mock can add one, so rules have no member for it. */
const functionEffect: Effect<AnyFunction> = {
  schema: {},
  slot: "ending",
  facts: respond.facts,
  notesItself: true,
  reads: ({ status }) => `responded with ${status}`,
  async respond(run, context, stub, note) {
    const response = await context.run(run, stub);
    if (response) note({ status: response.status });
    return response;
  },
};

const rows: Readonly<Record<string, Effect>> = { ...effects, function: functionEffect };

/** The names of all effects, in the order in which they take place. */
export const effectNames: readonly string[] = Object.keys(rows);

/** Returns the effect with this name. The names come from valid rules and valid archives. */
export function effectNamed(name: string): Effect {
  const row = rows[name];
  if (!row) throw new Error(`expected the name of an effect, found ${name}`);
  return row;
}

type EveryFact = UnionToIntersection<NonNullable<(typeof effects)[keyof typeof effects]["facts"]>>;
type UnionToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  every: infer Every,
) => void
  ? Every
  : never;

/** The members that the journal has for every effect. */
const shared: readonly string[] = ["kind", "source", "rule", "effect", "responds", "text"];

/** Returns the schemas of the facts of all effects. Throws if one would replace another one of the same name. */
export function factsOf(rows: Readonly<Record<string, Pick<Effect, "facts">>>): Readonly<Record<string, Schema>> {
  const all: Record<string, Schema> = {};
  for (const [effect, { facts = {} }] of Object.entries(rows)) {
    for (const [name, schema] of Object.entries(facts)) {
      if (shared.includes(name) || (all[name] ?? schema) !== schema) {
        throw new Error(`the effect ${effect}: expected another name for the fact "${name}", which other effects have`);
      }
      all[name] = schema;
    }
  }
  return all;
}

/** The schemas of the facts of all effects. */
export const effectFacts = factsOf(rows) as EveryFact;

/** The schema of the effects in a rule. */
export const effectSchemas = Object.fromEntries(
  Object.entries(effects).map(([name, { schema }]) => [name, schema]),
) as { readonly [Name in keyof typeof effects]: (typeof effects)[Name]["schema"] };

/** Reports effects that cannot be combined. */
export function checkCombination(value: object, pointer: string, problems: Problem[]) {
  for (const name of Object.keys(value)) {
    const other = (rows[name]?.excludes ?? []).find((each) => Object.hasOwn(value, each));
    if (other === undefined) continue;
    problems.push({ pointer: join(pointer, name), message: `expected ${name} or ${other}, found both` });
  }
}

/** Returns whether a request that has got one of the effects can get another one too. */
export function canCombine(one: string, other: string): boolean {
  const [first, second] = [effectNamed(one), effectNamed(other)];
  if (one === other || (first.slot !== undefined && first.slot === second.slot)) return false;
  return !first.excludes?.includes(other) && !second.excludes?.includes(one);
}
