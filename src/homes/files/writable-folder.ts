import { access, constants, mkdir, stat } from "node:fs/promises";
import { shown } from "../../contract/index.ts";

/** Creates the folder if it is missing. Throws an Error if this process cannot write files into it. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`expected a folder that this process can write to, found ${shown(folder)} (${code})`);
  }
}
