import type { Schema } from "../../contract/index.ts";

/** A small image of each accepted type. The first bytes are those of real images. */
export const images = {
  "image/png": Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
  "image/gif": Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  "image/jpeg": Buffer.from(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=",
    "base64",
  ),
};

/** Values of numbers, in no order that a service could make. */
const numbers: Readonly<Record<string, readonly number[]>> = { integer: [3, 1, 2], number: [1.5, 0.5] };

/** Returns a value for a schema, with every member. */
export function sampleOf({ type, format, items = {}, properties = {} }: Schema): unknown {
  if (type === "array") return numbers[String(items.type)] ?? [sampleOf(items)];
  if (type !== "object")
    return numbers[String(type)]?.[0] ?? (format === "date-time" ? "2024-05-17T09:30:00.000Z" : "1");
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
}

export const doSomeThing = { action: "doSomeThing" };

export type Content = Readonly<Record<string, unknown>>;

/** The draft of a resource. The first text in its content is a name of the run. */
export interface Draft {
  readonly objectTypeProperty: Content & { readonly arrayOfStringExample: readonly string[] };
}
