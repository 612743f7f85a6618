import fc from "fast-check";
import { isObject } from "../../src/text/json.ts";
import { inheritedNames, json, text } from "./arbitraries.ts";

/** What stands at the edge of what is taken, in any place of a body. */
const odd = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  "",
  "\u0000",
  "\ud800",
  "../../../etc/passwd",
  "x".repeat(3000),
  "2024-02-30T00:00:00Z",
  [],
  {},
  [[[[]]]],
  { matches: "(a+)+$" },
  { matches: "(" },
  { from: "__proto__" },
);

const change = fc.record({
  place: fc.nat(),
  how: fc.constantFrom("replace", "replace", "remove", "rename", "repeat", "add"),
  name: fc.oneof(fc.constantFrom(...inheritedNames), text),
  value: fc.oneof(odd, odd, json),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** A JSON text of what the value becomes by a change or a few, each at some place in it. */
export function mutated(value: unknown): fc.Arbitrary<string> {
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => JSON.stringify(changes.reduce(changed, structuredClone(value))) ?? "");
}

/** The places in a value: what holds them, and their names there. */
function placesIn(holder: unknown): [Record<string, unknown>, string][] {
  if (typeof holder !== "object" || holder === null) return [];
  const object = holder as Record<string, unknown>;
  return Object.keys(object).flatMap((name) => [[object, name], ...placesIn(object[name])]);
}

function changed(root: unknown, { place, how, name, value: chosen }: Change): unknown {
  const box: Record<string, unknown> = { root };
  // A copy: what is put in may be changed in its turn.
  const value = structuredClone(chosen);
  const places = placesIn(box);
  const [holder, member] = places[place % places.length] ?? [box, "root"];
  const found = holder[member];
  if (how === "replace") put(holder, member, value);
  else if (how === "repeat") put(holder, member, Array(3).fill(found));
  else if (how === "add" && isObject(found)) put(found, name, value);
  else if (how === "add" && Array.isArray(found)) found.push(value);
  else if (Array.isArray(holder)) holder.splice(Number(member), 1);
  else if (holder !== box) {
    delete holder[member];
    if (how === "rename") put(holder, name, found);
  }
  return box.root;
}

/** Defined, not assigned: a member called `__proto__` is to be one like any other. */
function put(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

const byteChange = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("replace", "insert", "remove", "double", "cut"),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc.constantFrom("\r\n", "\r\n\r\n", "\n", "\r", "\0", ":", " ", "%", "/", "0\r\n\r\n", "Host: b\r\n").map(latin1),
  ),
});
type ByteChange = typeof byteChange extends fc.Arbitrary<infer Value> ? Value : never;

function latin1(from: string): Uint8Array {
  return new Uint8Array(Buffer.from(from, "latin1"));
}

/** What the bytes become by a change or a few. */
export function mutatedBytes(original: Uint8Array): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc
    .array(byteChange, { minLength: 1, maxLength: 4 })
    .map((changes) => new Uint8Array(changes.reduce(changedBytes, original)));
}

function changedBytes(original: Uint8Array, { at, how, bytes }: ByteChange): Uint8Array {
  const place = at % (original.length + 1);
  const [head, tail] = [original.subarray(0, place), original.subarray(place)];
  switch (how) {
    case "replace":
      return Buffer.concat([head, bytes, tail.subarray(bytes.length)]);
    case "insert":
      return Buffer.concat([head, bytes, tail]);
    case "remove":
      return Buffer.concat([head, tail.subarray(bytes.length)]);
    case "double":
      return Buffer.concat([original, tail]);
    default:
      return head;
  }
}
