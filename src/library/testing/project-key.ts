import { shortHash } from "../../project/index.ts";

/** Maximum length of the readable part of a key, so that a key fits into a line of a log. */
const READABLE_LENGTH = 60;

/**
 * Returns the project key of a test. The key is readable, and the same on every machine. The generated ids of a project
 * depend on its key, so they are the same on every machine too.
 *
 * @param file the path of the test file, relative to the root of the tests
 * @param name the full name of the test, with the names of its suites
 */
export function projectKeyOf(file: string, name: string): string {
  const path = file.replaceAll("\\", "/");
  const fileName = path.slice(path.lastIndexOf("/") + 1).replace(/(\.(test|spec))?\.\w+$/, "");
  const words = `${fileName} ${name}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const readable = words.join("-").slice(0, READABLE_LENGTH).replace(/-$/, "");
  return `${readable || "test"}-${shortHash(JSON.stringify([path, name]))}`;
}
