import fc from "fast-check";
import { isObject } from "../../src/contract/text/shown.ts";
import { inheritedNames, json, text } from "./arbitraries.ts";

/** Edge cases for any location in a body. */
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
  location: fc.nat(),
  how: fc.constantFrom("replace", "replace", "remove", "rename", "repeat", "add"),
  name: fc.oneof(fc.constantFrom(...inheritedNames), text),
  value: fc.oneof(odd, odd, json),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies one to three random changes to a copy of the value, and serializes the result as JSON. */
export function mutated(value: unknown): fc.Arbitrary<string> {
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => JSON.stringify(changes.reduce(changed, structuredClone(value))) ?? "");
}

/** Returns all locations in a value, each as its parent object and its name there. */
function locationsIn(holder: unknown): [Record<string, unknown>, string][] {
  if (typeof holder !== "object" || holder === null) return [];
  const object = holder as Record<string, unknown>;
  return Object.keys(object).flatMap((name) => [[object, name], ...locationsIn(object[name])]);
}

function changed(root: unknown, { location, how, name, value: chosen }: Change): unknown {
  const box: Record<string, unknown> = { root };
  // A copy, because later changes may modify the inserted value.
  const value = structuredClone(chosen);
  const locations = locationsIn(box);
  const [holder, member] = locations[location % locations.length] ?? [box, "root"];
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

/** Sets a member with `Object.defineProperty`, because an assignment to `__proto__` would change the prototype. */
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

/** Applies one to four random changes to the bytes. */
export function mutatedBytes(original: Uint8Array): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc
    .array(byteChange, { minLength: 1, maxLength: 4 })
    .map((changes) => new Uint8Array(changes.reduce(changedBytes, original)));
}

function changedBytes(original: Uint8Array, { at, how, bytes }: ByteChange): Uint8Array {
  const offset = at % (original.length + 1);
  const [head, tail] = [original.subarray(0, offset), original.subarray(offset)];
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
