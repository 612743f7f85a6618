import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../setup/run.ts";

/**
 * Words and phrases that readers had to read twice, with the ones to use instead. Documents, comments, messages,
 * descriptions and the names of tests contain none of them.
 */
const phrases: readonly (readonly [RegExp, instead: string])[] = [
  [/\bheld against\b|\bhold(s|ing)? \w+ ?\w* against\b/, "validate, compare"],
  [/\b(lies?|lying|laid) over\b/, "override"],
  [/\b(is|are|be|been|being|was|were) told\b|\btells? (apart|of)\b|\btold apart\b/, "reported, distinguished"],
  [/\banew\b/, "again"],
  [/\btwins?\b/, "environment variable"],
  [/\bbeginnings?\b/, "start, initial state"],
  [/\b(comes?|came|coming) to life\b/, "is created from the fixture"],
  [
    /\b(an?|the|this|each|every|its|no|any|whole|first|last|next|other) answers?\b|\banswers? (of|is|are|was|were)\b/,
    "response",
  ],
  [/\bask(s|ed|ing)? for\b/, "request, require"],
  [/\b(stands?|standing|stood) for\b|\bstands\b/, "represent, apply"],
  [/\bwhoever\b|\bwhat (is|was) asked\b|\bwhat there is\b|\bthat there (is|are) not\b/, "name the subject"],
  [/\b(is|are) none\b|\bone that is\b/, "invalid, unknown"],
  [/\b(by )?chance\b/, "randomly, randomness, probability"],
  [/\bis well\b/, "is healthy"],
  [/\banother than\b/, "other than"],
  [/\bnothing said\b|\bnobody says\b|\bsays? nothing\b/, "by default"],
  [/\bnothing knows\b/, "unknown"],
  [/\bwould do\b/, "was expected"],
  [/\bmade up\b|\bmake(s)? up\b/, "generated"],
  [/\bshipped\b/, "bundled"],
  [/\bgives?\b/, "returns, creates"],
  [/\bplaces\b/, "locations"],
  [/\bturn(s|ed)? (it |them )?(on|off)\b|\b(is|are|that is|that are) on (in|for|with)\b/, "activate, active"],
  [/\bunder way\b/, "in progress"],
  [/\boperations? \d+\b/, "the name of the operation"],
];

/** The banned phrases in a text, each with its line and the words to use instead. */
function bannedIn(text: string): string[] {
  return phrases.flatMap(([phrase, instead]) =>
    [...text.matchAll(new RegExp(phrase, "gi"))].map(
      ({ 0: found, index }) => `line ${text.slice(0, index).split("\n").length}: "${found}" (instead: ${instead})`,
    ),
  );
}

/** The text with everything blank that a pattern does not match, so that lines keep their numbers. */
function only(pattern: RegExp, text: string): string {
  let end = 0;
  let kept = "";
  for (const { 0: found, index } of text.matchAll(pattern)) {
    kept += text.slice(end, index).replace(/[^\n]/g, " ") + found;
    end = index + found.length;
  }
  return kept;
}

const comments = /\/\*.*?\*\/|(?<![:"'`])\/\/[^\n]*/gs;
const commentsAndTexts =
  /\/\*.*?\*\/|(?<![:"'`])\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=>)[^<>{}()=;]+(?=<)/gs;

const textOf = (file: string) => readFileSync(join(repository, file), "utf8");
const filesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: repository, exclude: ["**/node_modules/**"] })
    .filter((file) => !import.meta.filename.endsWith(file))
    .sort();

/** The banned phrases in the texts of files, each with its location. `select` returns the part of a file to search. */
function bannedInFiles(files: readonly string[], select: (text: string) => string): string[] {
  return files.flatMap((file) => bannedIn(select(textOf(file))).map((found) => `${file} ${found}`));
}

describe("banned phrases", () => {
  test("documents have no banned phrases", () => {
    const documents = filesOf("*.md", "docs/**/*.md", "examples/**/*.md");
    const select = (text: string) => text.replace(/^```.*?^```$/gms, (block) => only(comments, block));
    expect(bannedInFiles(documents, select)).toEqual([]);
  });

  test("comments and texts of the code have no banned phrases", () => {
    const code = filesOf("{src,test,scripts,bench,examples}/**/*.{ts,tsx,js,mjs,css}");
    expect(bannedInFiles(code, (text) => only(commentsAndTexts, text))).toEqual([]);
  });

  test("scenarios have no banned phrases", () => {
    expect(bannedInFiles(filesOf("scenarios/*.json"), (text) => text)).toEqual([]);
  });

  test("the search finds a banned phrase in each kind of text", () => {
    const source = ["/** Made anew. */", "const text = `the beginning`; // shipped", 'const told = "by chance";'].join(
      "\n",
    );
    const found = bannedIn(only(commentsAndTexts, source)).map((hit) => hit.split('"')[1]);
    expect(found).toEqual(["anew", "beginning", "by chance", "shipped"]);
  });
});
