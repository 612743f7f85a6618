import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

/**
 * A browser for the tests of the surrounding `describe`, and for each test a page of its own that knows nothing of the
 * others. A test fails when its page reports an error, breaks its own security policy or asks another server for anything.
 */
export function useBrowser(): { open(url: string): Promise<Page> } {
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    // Tests run as root in containers, where the sandbox cannot be had; the pages are our own.
    browser = await chromium.launch({ executablePath: inject("browser"), args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    const [open, said] = [contexts, complaints];
    contexts = [];
    complaints = [];
    await Promise.all(open.map((context) => context.close()));
    expect(said).toEqual([]);
  });
  afterAll(() => browser?.close());

  return {
    async open(url) {
      if (!browser) throw new Error("the browser is there only while tests run");
      const context = await browser.newContext();
      contexts.push(context);
      const page = await context.newPage();
      // What an action waits for is there at once, or something is wrong.
      page.setDefaultTimeout(5000);
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        // The browser itself says so of each answer that is no success: tests look at these themselves.
        const isAnswer = message.text().startsWith("Failed to load resource");
        if (message.type() === "error" && !isAnswer) complaints.push(message.text());
      });
      page.on("request", (request) => {
        const { origin, protocol } = new URL(request.url());
        if (/^https?:$/.test(protocol) && origin !== new URL(url).origin) complaints.push(`it asked ${origin}`);
      });
      await page.goto(url);
      return page;
    },
  };
}
