import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ErrorResponse, type Schema } from "../../src/contract/index.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { operations } from "../../src/services/generic-resource/operations.ts";
import * as schemas from "../../src/services/generic-resource/schemas.ts";
import { types } from "../../src/services/generic-resource/types.ts";
import { repository, slashed } from "../setup/run.ts";

/** Names of the service that are words of the mock too. */
const general = new Set([
  ...["Resource", "Image", "RecordDraft", "createdAt", "createdBy", "lastModifiedAt", "withTotal"],
  ...["ErrorResponse", ...memberNames(ErrorResponse)],
  // Functions of Faker.
  ...["firstName", "lastName"],
]);

/** Returns the names of the members of a value that matches the schema, on all levels. */
function memberNames({ properties = {}, items, oneOf = [], anyOf = [] }: Schema): string[] {
  const parts = [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...anyOf];
  return [...Object.keys(properties), ...parts.flatMap(memberNames)];
}

/** Members and parameters with one word, such as `version`, are common words. */
const hasWords = (name: string) => /[a-z][A-Z]/.test(name);

const parameters = operations.flatMap(({ parameters }) => parameters).filter((each) => each.in === "query");
const members = [
  ...parameters.flatMap(({ name, schema }) => [name, ...memberNames(schema)]),
  ...Object.values(schemas.namedSchemas).flatMap(memberNames),
];
const calls = await Promise.all((controls.subjects ?? []).map(async ([, , load]) => (await load()).operations));
const names = new Set([
  ...operations.map(({ id }) => id),
  ...calls.flatMap(Object.keys),
  ...types.map(({ name }) => name),
  ...Object.keys(schemas.namedSchemas),
  ...schemas.updateActionNames,
  ...members.filter(hasWords),
]).difference(general);

test("only the room of the service and the entries of the package name its operations, types, schemas and members", () => {
  expect([...names]).toEqual(expect.arrayContaining(["getCart", "NamespaceAction", "Money", "arrayOfIntExample"]));
  const named = new RegExp(`\\b(${[...names].join("|")})\\b`, "g");
  const found = globSync("*/**/*.{ts,tsx,css,html}", { cwd: `${repository}src` })
    .map(slashed)
    .filter((file) => !file.startsWith("services/"))
    .flatMap((file) => {
      const lines = readFileSync(`${repository}src/${file}`, "utf8").split("\n");
      return lines.flatMap((line, index) => [...line.matchAll(named)].map(([name]) => `${file}:${index + 1}: ${name}`));
    });
  expect(found).toEqual([]);
});
