import { inject } from "vitest";

/** Returns the text of a configuration of Playwright that extends another one by the browser of this machine. */
export function withBrowser(config: string, args: readonly string[] = []): string {
  // Chromium has no sandbox as root in a container. The pages are trusted.
  const launchOptions = { executablePath: inject("browser"), args: ["--no-sandbox", ...args] };
  return `import config from ${JSON.stringify(config)};
export default { ...config, timeout: 60000, expect: { timeout: 30000 }, reporter: "list", use: { ...config.use, launchOptions: ${JSON.stringify(launchOptions)} } };
`;
}
