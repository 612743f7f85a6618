// Prints the section of the CHANGELOG of a tag such as v1.2.3. Fails if the tag, the version in package.json and in the
// image, and the CHANGELOG do not agree.
import { readFileSync } from "node:fs";

const [tag = ""] = process.argv.slice(2);
const version = tag.replace(/^v/, "");
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const labelled = /image\.version="([^"]*)"/.exec(readFileSync("Dockerfile", "utf8"))?.[1];
const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m).slice(1);
const heading = sections[0]?.split("\n", 1)[0] ?? "";
const notes = sections[0]?.slice(heading.length).trim();

const problems = [
  tag === `v${version}` ? undefined : `expected a tag such as v${manifest.version}, found "${tag}"`,
  manifest.version === version ? undefined : `package.json: expected version ${version}, found ${manifest.version}`,
  labelled === version ? undefined : `Dockerfile: expected the label version ${version}, found ${labelled}`,
  new RegExp(`^${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`).test(heading)
    ? undefined
    : `CHANGELOG.md: expected the first section "${version} (YYYY-MM-DD)", found "${heading}"`,
].filter((problem) => problem !== undefined);
for (const problem of problems) console.error(`release: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log(notes);
