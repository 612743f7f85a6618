import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { createResourceMock } from "../../src/index.ts";
import { type Archive, archiveIn } from "../setup/archives.ts";
import { folderOf } from "../setup/folder.ts";

export const draft = { objectTypeProperty: { arrayOfIntExample: [1] } };

/** Returns a folder with a project, whose resources include one with this key. */
export async function folderWith(project: string, key: string): Promise<string> {
  const folder = folderOf({});
  await using mock = await createResourceMock({ projects: folder });
  await mock.project(project).seed({ ...draft, key });
  return folder;
}

/** Returns the text of a file; empty if it does not exist. */
export function read(folder: string, name: string): string {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** The last line of a save. */
export const END = '{"end":true}\n';

/** Returns the lines of a project that a file has, without those of an incomplete save. Deleted ones are null. */
export function savedIn(folder: string, name: string): Archive {
  const text = read(folder, name);
  return archiveIn(text.slice(0, text.lastIndexOf(END)) || "{}");
}

/** Returns a function that waits for a change in the folder that meets the condition. */
export function changesIn(folder: string) {
  return async (condition: (name: string) => boolean): Promise<void> => {
    const watching = new AbortController();
    const watcher = watch(folder, { signal: watching.signal });
    const isMet = () => readdirSync(folder).some(condition) || condition("");
    while (!isMet()) await once(watcher, "change");
    watching.abort();
  };
}
