import type { Page } from "playwright-core";
import { expect } from "vitest";
import { json, type MockUnderTest } from "../setup/mock.ts";

/** Returns the URL of a project's tab on the dashboard. */
export function dashboardOf(mock: MockUnderTest, project: string, part = "requests"): string {
  return `${mock.url}/__admin/ui#/projects/${encodeURIComponent(project)}/${part}`;
}

/** Waits until the page shows this project. */
export function showsProject(page: Page, project: string): Promise<void> {
  return page.getByRole("button", { name: `Project: ${project}`, exact: true }).waitFor();
}

/** Opens the list of projects, and returns it with its field. */
export async function openProjects(page: Page) {
  await page.getByRole("button", { name: /^Project: / }).click();
  const panel = page.getByRole("dialog", { name: "Project", exact: true });
  return { panel, search: panel.getByRole("combobox"), keys: () => panel.locator(".key").allTextContents() };
}

/** Waits until the page shows this text. */
export function shows(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor();
}

/** Waits until the page no longer shows this text. */
export function showsNo(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor({ state: "detached" });
}

/** Waits until the page receives events from the mock. */
export function isLive(page: Page): Promise<void> {
  return page.getByRole("status").getByText("live", { exact: true }).waitFor();
}

/** Sets whether the tab is hidden. Chromium without windows shows all tabs. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    isHidden ? "hidden" : "visible",
  );
}

/** Confirms or cancels the next dialog of the page, and returns its message. */
export function replyToNextDialog(page: Page, response: "yes" | "no"): Promise<string> {
  return new Promise((resolve, reject) => {
    page.once("dialog", (dialog) => {
      (response === "yes" ? dialog.accept() : dialog.dismiss()).then(() => resolve(dialog.message()), reject);
    });
  });
}

/** Updates a resource, which raises its version by 1. */
export async function update(mock: MockUnderTest, project: string, id: string, version: number): Promise<void> {
  const actions = [{ action: "changeSomeProperty", someProperty: "linen" }];
  const response = await mock.resource(project, `/${id}`, json("POST", { version, actions }));
  expect(response.status).toBe(200);
}
