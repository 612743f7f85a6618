import type { Page } from "playwright-core";
import { expect } from "vitest";
import { json, type MockUnderTest } from "../setup/mock.ts";

/** The address of a project's part on the dashboard. */
export function dashboardOf(mock: MockUnderTest, project: string, part = "requests"): string {
  return `${mock.url}/__admin/ui#/projects/${encodeURIComponent(project)}/${part}`;
}

/** Waits until the page shows this text, anywhere. */
export function shows(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor();
}

/** Waits until the page shows this text nowhere. */
export function showsNo(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor({ state: "detached" });
}

/** Waits until the page hears what happens in the mock. */
export function isLive(page: Page): Promise<void> {
  return page.getByRole("status").getByText("live", { exact: true }).waitFor();
}

/** Answers the next question that the page asks, and tells what it was. */
export function answerNext(page: Page, response: "yes" | "no"): Promise<string> {
  return new Promise((resolve, reject) => {
    page.once("dialog", (dialog) => {
      (response === "yes" ? dialog.accept() : dialog.dismiss()).then(() => resolve(dialog.message()), reject);
    });
  });
}

/** Turns a resource's version up by one. */
export async function update(mock: MockUnderTest, project: string, id: string, version: number): Promise<void> {
  const actions = [{ action: "changeSomeProperty", someProperty: "linen" }];
  const response = await mock.resource(project, `/${id}`, json("POST", { version, actions }));
  expect(response.status).toBe(200);
}
