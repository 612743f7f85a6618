import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The colour schemes and widths in which each view of a page must be accessible. */
export const appearances = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: 390 },
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
 * the window.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // Playwright evaluates this outside of the security policy of the page.
  await page.evaluate(`${source};0`);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    const { violations } = await axe.run();
    const problems = violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html }) => `${impact} ${id}: ${html.slice(0, 200)}`),
    );
    const overflow = document.documentElement.scrollWidth - innerWidth;
    return overflow > 0 ? [...problems, `${overflow} pixels wider than the window`] : problems;
  });
  expect(found).toEqual([]);
}
