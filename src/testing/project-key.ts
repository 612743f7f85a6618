import { shortHash } from "../projects/random.ts";

/** Long enough to tell tests apart at a glance, short enough for a line of a log. */
const MAX_NAME = 60;

/**
 * The project key that belongs to a test: readable, and the same on every machine, so that the ids made in it are too.
 *
 * @param file the test's file, relative to the root of the tests
 * @param name the test's full name, with those of its suites
 */
export function projectKeyOf(file: string, name: string): string {
  const path = file.replaceAll("\\", "/");
  const fileName = path.slice(path.lastIndexOf("/") + 1).replace(/(\.(test|spec))?\.\w+$/, "");
  const words = `${fileName} ${name}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const readable = words.join("-").slice(0, MAX_NAME).replace(/-$/, "");
  return `${readable || "test"}-${shortHash(JSON.stringify([path, name]))}`;
}
