import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  collectionAt,
  isObject,
  jsonValue,
  MAX_ADDED,
  MAX_JSON_BYTES,
  REDACTED,
  valueAt,
} from "../../contract/index.ts";
import { type Call, withKept } from "../../engine/index.ts";
import { isByCollection, knownOf, readSeed, SEED } from "../../state/index.ts";

/**
 * Returns a function that adds the items in a body to `seed.json` in a folder that only this recorder writes. It returns
 * whether they change the file, or why the file cannot have them; undefined for a response that shows no items of the state.
 */
export function createSeedRecorder(folder: string) {
  const [target, unfinished] = [join(folder, SEED), join(folder, `.${SEED}`)];
  let text: string | undefined;

  return async (call: Call, status: number, body: unknown): Promise<boolean | string | undefined> => {
    const recorded = itemsIn(call, status, body);
    if (!isObject(recorded)) return recorded;
    const { type, path, items } = recorded;
    const { contract } = call.engine;
    text ??= existsSync(target) ? await readFile(target, "utf8") : "{}";
    const seed = jsonValue(text);
    if (!isObject(seed) || (Object.keys(seed).length > 0 && !isByCollection(contract, seed)))
      return "it has no lists by collections";
    const nameOf = (key: string) => Object(collectionAt(contract, key)).name ?? key;
    const key = Object.keys(seed).find((each) => nameOf(each) === nameOf(path)) ?? path;
    const drafts = [seed[key] ?? []].flat() as object[];
    const byId = new Map<unknown, object>(drafts.map((draft) => [knownOf(type, draft).id ?? draft, draft]));
    for (const [id, item] of items) byId.set(id, { ...byId.get(id), ...item });
    const { problems } = await readSeed(contract, { [key]: [...items.keys()].map((id) => byId.get(id)) });
    if (problems[0]) return `${problems[0].pointer}: ${problems[0].message}`;
    const extended = `${JSON.stringify({ ...seed, [key]: [...byId.values()] }, undefined, 2)}\n`;
    if (Buffer.byteLength(extended) > MAX_JSON_BYTES || byId.size > MAX_ADDED)
      return `it would have more than ${MAX_JSON_BYTES} bytes, or more than ${MAX_ADDED} items of ${path}`;
    if (extended === text) return false;
    await writeFile(unfinished, extended, { flush: true });
    await rename(unfinished, target);
    text = extended;
    return true;
  };
}

/** Returns the items in a body by their ids, and the path of their collection. */
function itemsIn(call: Call, status: number, body: unknown) {
  const { engine, operation, path } = call;
  const { role, method } = operation;
  if (status !== 200 || method !== "GET" || (role?.does !== "read" && role?.does !== "list")) return undefined;
  const type = engine.contract.typeOf(role.type);
  if (!type || type.draft || type.kind === "files") return undefined;
  const at = role.does === "list" ? role.list.at : role.response;
  if (at === null || at === "id") return "the response shows no item";
  const items = new Map<string, object>();
  for (const item of [valueAt(body, at ?? [])].flat()) {
    const { id = REDACTED } = isObject(item) ? knownOf(type, item) : {};
    if (!isObject(item) || id.includes(REDACTED)) return "an item has no id";
    const keeps = role.keeps?.filter(({ member }) => !member || valueAt(item, member) === undefined);
    const { content, hidden } = withKept(call, { keeps }, type, { taken: item });
    items.set(id, { ...(content as object), ...(hidden && { $mock: { hidden } }) });
  }
  const values = (role.scope ?? type.scope ?? []).map((parameter) => encodeURIComponent(path[parameter] ?? ""));
  return { type, path: type.path.replace(/\{[^{}]+\}/g, () => values.shift() ?? ""), items };
}
