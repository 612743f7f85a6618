/** Returns the file system of Node. Throws an Error in a browser. */
export function fileSystem(): typeof import("node:fs") {
  const { process } = globalThis;
  if (!process?.getBuiltinModule) throw new Error("a browser cannot write files");
  return process.getBuiltinModule("node:fs");
}

/** Writes a file that no reader sees half of, such as the upload of a CI job that was cancelled. Creates its folder. */
export function writeWhole(path: string, text: string): void {
  const { mkdirSync, renameSync, rmSync, writeFileSync } = fileSystem();
  mkdirSync(path.slice(0, path.lastIndexOf("/") + 1) || ".", { recursive: true });
  const unfinished = `${path}.tmp`;
  try {
    writeFileSync(unfinished, text);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
