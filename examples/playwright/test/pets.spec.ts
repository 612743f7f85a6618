import { expect, test } from "resource-mock/playwright";

test("lists the pets", async ({ page, mock }) => {
  await mock.seed({ "/pets": [{ name: "Ada", kind: "cat" }] });

  await page.goto("/");

  await expect(page.getByRole("listitem")).toHaveText(["Rex (dog)", "Tom (cat)", "Ada (cat)"]);
});

// The tests run in parallel. Each test has its own sandbox of the project, with its own pets.
for (const name of ["Bella", "Carl"]) {
  test(`adds ${name} to the list`, async ({ page, mock }) => {
    await page.goto("/");

    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Kind").selectOption("cat");
    await page.getByRole("button", { name: "Add" }).click();

    await expect(page.getByRole("listitem")).toHaveText(["Rex (dog)", "Tom (cat)", `${name} (cat)`]);
    await expect(mock).toHaveReceived({ operation: "createPet", body: { name, kind: "cat" } }, { count: 1 });
    await expect(mock).toHaveNoViolations();
  });
}

test("shows why the service rejects a pet", async ({ page }) => {
  await page.goto("/");

  await page.getByRole("button", { name: "Add" }).click();

  await expect(page.getByRole("alert")).toHaveText("/name: expected at least 1 character, found none");
  await expect(page.getByRole("listitem")).toHaveCount(2);
});

test("shows a message while the service fails", async ({ page, mock }) => {
  await mock.use("server-error");

  await page.goto("/");

  await expect(page.getByRole("alert")).toHaveText("The pets are not available. Try again later.");
});
