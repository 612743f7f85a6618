/** Returns the value of a header of a journal entry. The case of the name is ignored. */
export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}
