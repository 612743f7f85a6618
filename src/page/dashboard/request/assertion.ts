import { isObject } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { matchOf } from "./match.ts";

/** Returns the statement of a test, for Vitest and Jest, that the project has received this request. */
export function assertionOf(entry: RequestEntry): string {
  const { status } = entry.response;
  // A broken connection has no status to match.
  const match = { ...matchOf(entry), ...(status > 0 ? { status } : { source: entry.source }) };
  return `await expect(mock).toHaveReceived(${literal(match)});`;
}

/** Returns a JSON value as a literal of JavaScript, in the format of Prettier and Biome. */
export function literal(value: unknown, indent = ""): string {
  if (!Array.isArray(value) && !isObject(value)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, member]) => `${nameOf(name)}: ${literal(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const line = Array.isArray(value) ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (line.length + indent.length <= LINE && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

/** The longest object or array in one line. */
const LINE = 76;

function nameOf(name: string): string {
  // The member `__proto__` of a literal would set the prototype.
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
