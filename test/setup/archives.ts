/** The values of the lines of an archive, by name, in their order. */
// biome-ignore lint/suspicious/noExplicitAny: the tests change any location
export type Archive = Record<string, any>;

export const ARCHIVE_TYPE = "application/x-ndjson";

/** Returns the values in the text of an archive. */
export function archiveIn(text: string, reviver?: (name: string, value: unknown) => unknown): Archive {
  const lines = text.trimEnd().split("\n");
  return Object.assign({}, ...lines.map((line) => JSON.parse(line, reviver)));
}

/** Returns the text of an archive with these values. */
export function archiveText(archive: Archive): string {
  return Object.entries(archive)
    .map((line) => `${JSON.stringify(Object.fromEntries([line]))}\n`)
    .join("");
}

/** Returns a request with an archive. */
export function archiveRequest(archive: Archive | string): RequestInit {
  const body = typeof archive === "string" ? archive : archiveText(archive);
  return { method: "PUT", body, headers: { "Content-Type": ARCHIVE_TYPE } };
}
