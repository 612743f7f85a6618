import type { Schema } from "../../../contract/index.ts";
import { type ComparedService, type Exchange, needs, type Owned, type Sent } from "../../../tools/compare/index.ts";
import { ArrayTestType } from "../schemas.ts";

export const doSomeThing = { action: "doSomeThing" };

export type Content = Readonly<Record<string, unknown>>;

/** The draft of a resource. The first text in its content is a name of the run. */
export interface Draft {
  readonly objectTypeProperty: Content & { readonly arrayOfStringExample: readonly string[] };
}

/** Returns the draft of a new resource. Its texts are a name of this run, and then the labels. */
export function draft({ newName }: ComparedService, content: Content = {}, ...labels: string[]): Draft {
  const sample = sampleOf(ArrayTestType) as Content;
  return { objectTypeProperty: { ...sample, arrayOfStringExample: [newName(), ...labels], ...content } };
}

export async function newResource(service: ComparedService, json: Draft = draft(service)): Promise<Owned> {
  const [type] = service.contract.types;
  needs(type !== undefined, "a type");
  return await service.fresh(type, { json });
}

/** Returns the version of a resource. Throws Skip if the service says it neither at its creation nor in a read. */
export async function versionOf(item: Owned | undefined, service: ComparedService): Promise<number> {
  const seen = item && typeof versionIn(item.content) !== "number" ? await service.current(item) : item;
  const version = versionIn(seen?.content);
  needs(version !== undefined, "the version of a resource");
  return version;
}

export function versionIn(content: unknown): number | undefined {
  const version = (content as { readonly version?: unknown } | undefined)?.version;
  return typeof version === "number" ? version : undefined;
}

/** A request to an operation: about the resource of the story, with parts of its own. */
export type Step = readonly [id: string, part?: (resource: Owned, service: ComparedService) => Sent | Promise<Sent>];

/** Sends requests about a new resource. Each but the last has to succeed, or to be rejected if it is invalid. */
export function story(...steps: readonly Step[]) {
  return async (service: ComparedService): Promise<Exchange> => {
    const item = await newResource(service);
    let last: Exchange | undefined;
    for (const [id, part] of steps) {
      if (last) needs(last.reply.isOk !== (last.isInvalid ?? false), `another response; ${last.reply.seen}`);
      const operation = service.contract.find(id);
      const { path } = operation ? service.requestOn(operation, item) : {};
      const sent: Sent = { path, ...(await part?.(item, service)) };
      last = { json: last?.json ?? item.sent, ...sent, reply: await service.send(id, sent) };
    }
    return { ...(last as Exchange), item };
  };
}

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
