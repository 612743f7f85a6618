/** As in `engines` of package.json. */
const REQUIRED = [22, 18] as const;

/**
 * Returns a line that names the required and the found version of Node if this process runs an older one. Returns
 * undefined in browsers. Imports nothing and uses only what every version of Node knows.
 */
export function unsupportedNode(found = globalThis.process?.versions?.node): string | undefined {
  if (found === undefined) return undefined;
  const [major = 0, minor = 0] = found.split(".").map(Number);
  if (major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1])) return undefined;
  return `resource-mock: expected Node ${REQUIRED.join(".")} or newer, found ${found}`;
}
