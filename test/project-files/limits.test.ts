// @module-tag slow
import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { folderOf } from "../setup/folder.ts";
import { draft } from "../setup/resources.ts";

/** A call within the project `shop`: a request to the service, or a call of the control API. */
type Call = readonly [method: string, path: string, body: object | string];

const MiB = 1024 * 1024;
const membersOf = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, value]));
/** Returns JSON of a list, nested this deep. */
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
/** Returns the members of a resource with such a list. */
const deep = (depth: number) => `"objectTypeProperty":{},"deep":${nested(depth)}`;
/** Returns the start of an image with this many bytes. */
const image = (bytes: number) => Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(bytes - 8)]);

test.each<[description: string, calls: readonly Call[], mostStatus?: number]>([
  [
    "a resource of nearly 8 MiB with 9,900 members",
    [
      ["PATCH", "/settings", { maxBodyBytes: 8 * MiB }],
      ["POST", "/resource", { ...draft, ...membersOf(9900, "x".repeat(832)) }],
    ],
  ],
  [
    "a resource with 199,000 integers",
    [["POST", "/resource", { ...draft, numbers: Array.from({ length: 199_000 }, (_, index) => index) }]],
  ],
  [
    "numbers that are four times as long when the server writes them",
    [["PUT", "/namespace-action", `{"body":[${Array(199_000).fill("1e20").join(",")}]}`]],
  ],
  [
    "60 snapshots of a state of 1 MB",
    [
      ["POST", "/resource", { ...draft, note: "x".repeat(1_000_000) }],
      ...Array.from({ length: 60 }, (_, index): Call[] => [
        ["POST", "/resource", { ...draft, note: `${index}` }],
        ["POST", "/snapshots", { name: `${index}/100%` }],
      ]).flat(),
    ],
  ],
  [
    "one set of changes with 2 million values",
    [
      ...Array.from({ length: 60 }, (): Call => ["POST", "/resource", { ...draft, numbers: Array(32_000).fill(1) }]),
      ["PUT", "/state", { resources: [] }],
    ],
  ],
  [
    "values as deep as a body may be",
    [
      ["PUT", "/state", `{"resources":[{"id":"r",${deep(199)}}],"namespaceAction":{"body":${nested(200)}}}`],
      ["POST", "/snapshots", { name: "deep" }],
      ["PUT", "/resources/r", `{"other":1,${deep(199)}}`],
      ["PATCH", "/resource", `{${deep(199)}}`],
      ["POST", "/resources", `{${deep(199)}}`],
      ["POST", "/resources", `[{${deep(198)}}]`],
      ["POST", "/resource/namespace-action", nested(200)],
      ["PUT", "/namespace-action", `{"body":${nested(200)}}`],
      ["POST", "/resource", `{"objectTypeProperty":{},"deep":${nested(199)}}`],
      ["PUT", "/namespace-action", `{"body":${nested(199)}}`],
      ["PUT", "/namespace-action", `{"body":${nested(198)}}`],
      ["POST", "/rules", `{"operation":"getCart","raw":{"status":200,"body":${nested(198)}}}`],
      ["PUT", "/scenarios/own", `{"rules":[{"operation":"getCart","raw":{"status":200,"body":${nested(196)}}}]}`],
    ],
  ],
  [
    "an image of 32 MiB",
    [
      ["PATCH", "/settings", { maxImageBytes: 32 * MiB }],
      ["POST", "/resource/images", image(32 * MiB)],
    ],
  ],
  [
    "requests with the longest texts",
    [
      ["GET", `/resource/${"i".repeat(8000)}?${"q".repeat(8000)}`, ""],
      ["POST", "/resource/some-id", { version: 1e300, actions: [{ action: "x".repeat(5000) }] }],
      ["POST", "/resource/some-id", { version: 1, actions: Array(500).fill({ action: "doSomeThing" }) }],
      ["POST", "/resource", { [`/${"~\ud800".repeat(5000)}`]: 1, objectTypeProperty: [] }],
    ],
    499,
  ],
])("a project with %s can be archived, and restored from a file", async (_description, calls, mostStatus = 299) => {
  const folder = folderOf({});
  const first = await createResourceMock({ projects: folder });
  const { baseUrl } = first.project("shop");
  const control = baseUrl.replace("shop", "__admin/projects/shop");
  for (const [method, path, given] of calls) {
    const isImage = given instanceof Buffer;
    const body = isImage ? given : typeof given === "string" ? given || undefined : JSON.stringify(given);
    const headers = { "Content-Type": isImage ? "image/png" : "application/json" };
    const isOfService = /^\/resource(\/|$)/.test(path);
    const { status } = await first.fetch((isOfService ? baseUrl : control) + path, { method, body, headers });
    expect([path, status <= mostStatus]).toEqual([path, true]);
  }
  const archive = await first.project("shop").archive();
  await first.project("copy").restoreArchive(archive);
  const isSame = async (mock: typeof first, key: string) => (await mock.project(key).archive()) === archive;
  expect(await isSame(first, "copy")).toBe(true);
  await first.close();

  await using second = await createResourceMock({ projects: folder });
  expect(await second.health()).not.toHaveProperty("unreadable");
  expect([await isSame(second, "shop"), await isSame(second, "copy")]).toEqual([true, true]);
});
