import { describe, expect, test } from "vitest";
import { type Column, markdownTable, textTable } from "../../src/journal/reports/text-table.ts";

const columns: Column[] = [{ title: "name" }, { title: "count", align: "right" }, { title: "ok", align: "center" }];

describe("a table as text", () => {
  test("aligns the columns and has no spaces at the end of a line", () => {
    expect(
      textTable(columns, [
        ["first", "1", "✓"],
        ["b", "12345", ""],
      ]),
    ).toEqual(["name   count  ok", "first      1  ✓", "b      12345"]);
  });

  test("counts characters, not units of UTF-16", () => {
    expect(textTable([{ title: "a" }, { title: "b" }], [["😀", "x"]])).toEqual(["a  b", "😀  x"]);
  });

  test("shows a missing cell as empty", () => {
    expect(textTable(columns, [["a"]])).toEqual(["name  count  ok", "a"]);
  });

  test("of no rows has the titles only", () => {
    expect(textTable(columns, [])).toEqual(["name  count  ok"]);
  });
});

describe("a table as Markdown", () => {
  test("has one line for each row and the alignment of the columns", () => {
    expect(markdownTable(columns, [["a", "1", undefined]])).toBe(
      "| name | count | ok |\n| --- | --: | :-: |\n| a | 1 |  |\n",
    );
  });

  test.each([
    ["a|b", "a\\|b"],
    ["two\nlines", "two lines"],
    ["<img src=x>", "\\<img src=x\\>"],
    ["`code` *bold* _it_", "\\`code\\` \\*bold\\* \\_it\\_"],
    ["[x](y)", "\\[x\\](y)"],
    ["a\\", "a\\\\"],
    ["&lt;", "\\&lt;"],
  ])("escapes %j", (text, escaped) => {
    expect(markdownTable([{ title: "t" }], [[text]])).toBe(`| t |\n| --- |\n| ${escaped} |\n`);
  });
});
