import { once } from "node:events";
import { createServer } from "node:net";
import { inject } from "vitest";

/** Returns the text of a configuration of Playwright that extends another one by the browser of this machine. */
export function withBrowser(config: string, args: readonly string[] = []): string {
  // Chromium has no sandbox as root in a container. The pages are trusted.
  const launchOptions = { executablePath: inject("browser"), args: ["--no-sandbox", ...args] };
  return `import config from ${JSON.stringify(config)};
export default { ...config, reporter: "list", use: { ...config.use, launchOptions: ${JSON.stringify(launchOptions)} } };
`;
}

/** Returns a port that no server uses, for a server that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
