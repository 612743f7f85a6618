import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The appearances in which each view of a page must be accessible. They have each colour scheme and each width once. */
export const appearances = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 390 },
] as const;
export type Appearance = (typeof appearances)[number];

/** Applies this colour scheme and width to the page. */
export async function setAppearance(page: Page, { colorScheme, width }: Appearance): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
}

/**
 * Expects no problems of any impact in the page as it is shown now: those that axe finds, and content that is wider than
 * the window. With `within`, a CSS selector, only problems of this element, and content that is wider than the element.
 */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  // Playwright evaluates this outside of the security policy of the page. A second copy would start with cold code.
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(`${source};0`);
  const found = await page.evaluate(async (selector) => {
    const { axe } = globalThis as unknown as { axe: { run(context: unknown): Promise<AxeResults> } };
    const { violations } = await axe.run(selector ?? document);
    const problems = violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html }) => `${impact} ${id}: ${html.slice(0, 200)}`),
    );
    const area = selector === undefined ? document.documentElement : document.querySelector(selector);
    const overflow = area ? area.scrollWidth - (selector === undefined ? innerWidth : area.clientWidth) : 0;
    return overflow > 0 ? [...problems, `${overflow} pixels too wide`] : problems;
  }, within);
  expect(found).toEqual([]);
}
