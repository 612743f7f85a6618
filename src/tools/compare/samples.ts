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

/** Returns a value for a schema of objects and texts, with every member. */
export function sampleOf({ type, format, properties = {} }: Schema): unknown {
  if (type !== "object") return format === "date-time" ? "2024-05-17T09:30:00.000Z" : "1";
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
}

export const doSomeThing = { action: "doSomeThing" };

export type Content = Readonly<Record<string, unknown>>;

/** The draft of a resource. The first text in its content is a name of the run. */
export interface Draft {
  readonly objectTypeProperty: { readonly arrayOfStringExample: readonly string[]; readonly [name: string]: unknown };
}

export function draftOf(texts: readonly string[], content: Content): Draft {
  return {
    objectTypeProperty: {
      arrayOfIntExample: [3, 1, 2],
      arrayOfUniqueIntExample: [1, 2],
      arrayOfTwonumbersExample: [0.5, 1.5],
      arrayOfFloatExample: [0.25],
      arrayOfNumberNoDefaultsExample: [1],
      arrayOfObjectType: [{ integerExample: 1, integerExampleInt32: 2 }],
      arrayOfStringExample: texts,
      ...content,
    },
  };
}
