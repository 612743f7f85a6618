// @module-tag process
// @module-tag smoke
import { expect, test } from "vitest";
import { commandHere } from "../../setup/command.ts";
import { library, realLibrary, startLibrary } from "./library.ts";

const compare = (upstream: string, only: string) =>
  commandHere(["compare", "--contract", library, "--upstream", upstream, "--only", only]);

test("compare finds no difference between two mocks of the library", async () => {
  const { url } = await startLibrary();
  const { code, stdout } = await compare(
    url,
    "listBooks,addBook,getBook,replaceBook,deleteBook,listCopies,addCopy,getCopy",
  );
  expect(stdout).not.toMatch(/^(fail|differs) /m);
  expect(code).toBe(0);
});

test("compare names how a real library deviates from the document", async () => {
  const { code, stdout } = await compare(await realLibrary("deviating"), "listBooks,addBook,getBook,getOpeningHours");
  expect(code).toBe(1);
  for (const [check, seen] of [
    ["listBooks: the body is valid (contract)", "/total: is required, found nothing"],
    ["listBooks: genre=abc is 400 (contract)", "GET /books?genre=abc returned 200"],
    ["addBook: the status of success is 201 (contract)", "POST /books returned 200"],
    ["addBook: a body without author is 422 (contract)", "POST /books returned 200"],
    ["getBook: the body is valid for Book (contract)", "/title: expected string, found 7"],
    ["getOpeningHours: a success has a documented media type (contract)", "Content-Type is text/plain"],
  ] as const) {
    const [, lines = ""] = stdout.split(`fail  ${check}\n`);
    expect(lines.split("\n\n", 1)[0], check).toContain(seen);
  }
});
