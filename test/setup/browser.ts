import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterEach, test as base, expect, inject } from "vitest";

/** The files of a worker share one browser process. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern.
const test = base.extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
  // Chromium has no sandbox as root in a container. The pages are trusted.
  const browser = await chromium.launch({ executablePath: inject("browser"), args: ["--no-sandbox"] });
  onCleanup(() => browser.close());
  return browser;
});

/**
 * Opens pages for the tests of the surrounding `describe`. Each test opens pages in isolated contexts. A test fails if its
 * page reports an error, violates its security policy or sends a request to another server.
 */
export function useBrowser(): { open(url: string): Promise<Page> } {
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  let problems: string[] = [];

  test.beforeAll(({ browser: shared }) => {
    browser = shared;
  });
  afterEach(async () => {
    const [open, reported] = [contexts, problems];
    contexts = [];
    problems = [];
    await Promise.all(open.map((context) => context.close()));
    expect(reported).toEqual([]);
  });

  return {
    async open(url) {
      if (!browser) throw new Error("useBrowser: expected a call of open() during a test, found one outside of tests");
      const context = await browser.newContext();
      contexts.push(context);
      // Also for further tabs, which tests open with `page.context().newPage()`.
      context.on("page", (page) => {
        // Pages respond at once, so a longer wait means a failure, also on a busy machine.
        page.setDefaultTimeout(20_000);
        page.on("pageerror", (error) => problems.push(error.message));
        page.on("console", (message) => {
          // The browser logs this for each error status. Tests check error statuses themselves.
          const isFailedLoad = message.text().startsWith("Failed to load resource");
          if (message.type() === "error" && !isFailedLoad) problems.push(message.text());
        });
        page.on("request", (request) => {
          const { origin, protocol } = new URL(request.url());
          if (/^https?:$/.test(protocol) && origin !== new URL(url).origin)
            problems.push(`request to another server: ${origin}`);
        });
      });
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
  };
}
