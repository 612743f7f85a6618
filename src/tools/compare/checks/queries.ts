import { isDeepStrictEqual } from "node:util";
import { type Contract, isObject, type OperationId } from "../../../contract/index.ts";
import { type Reply, resultsIn } from "../messages.ts";
import { needs } from "../outcome.ts";
import { checksFor, error, type Fact, isNumber, isPresent, type Judge, type Row, same } from "../rows.ts";
import type { Check } from "../run.ts";
import { doSomeThing, draftOf } from "../samples.ts";
import type { Exchange, Service } from "../service.ts";
import { works } from "./operations.ts";
import { expand, sameBody } from "./resources.ts";

const sorted = "queryWithSortedParameters";
const isPage = "the body is valid for PagedQueryResult";
const sortsNested = "sort takes nested fields, and absent values come last";

/**
 * Queries: paging, sorting, predicates, search, HEAD. Other writes would change the pages, so their checks run in
 * order.
 */
export function queryChecks(contract: Contract): Check[] {
  const of = (id: OperationId, shared: Partial<Row>, rows: readonly Row[]) => checksFor(contract, id, shared, rows);
  const pages = (shared: Partial<Row>, rows: readonly Row[]) => of(sorted, { inOrder: true, ...shared }, rows);
  return [
    ...pages({ writes: true }, [
      { name: works.limit, sends: select("&limit=1"), expects: hasResults(1) },
      { name: works.offset, needs: [works.limit], sends: skipSome, expects: startsWith },
      { name: works.sort, sends: sortVersions, expects: ascends },
      { name: works.where, sends: select(), expects: finds("none one two") },
    ]),
    ...pages({ assumption: "paging" }, [
      { name: "the page has total", expects: { total: isNumber } },
      { name: "count is the number of results", sends: "limit=3", expects: countsResults },
      { name: "expand has no effect", assumption: "expand", sends: expand, expects: sameBody },
    ]),
    ...pages({ assumption: "paging", needs: [isPage] }, [
      { name: "the default limit is 20 and the default offset is 0", expects: { limit: 20, offset: 0 } },
      {
        name: "the page names its limit and offset",
        needs: [works.limit, works.offset],
        sends: "limit=7&offset=1",
        expects: { limit: 7, offset: 1 },
      },
    ]),
    ...pages({ assumption: "paging", needs: ["the page has total"] }, [
      { name: "withTotal=false leaves out total", sends: "withTotal=false", expects: { total: undefined } },
      {
        name: "total counts all matches, not only those of the page",
        writes: true,
        needs: [works.where, works.limit],
        sends: select("&limit=1"),
        expects: { total: 3 },
      },
    ]),
    ...pages({ assumption: "paging", needs: [works.limit] }, [
      { name: "limit=0 returns no results", sends: "limit=0", expects: hasResults(0) },
      { name: "limit=501 is 400", sends: "limit=501" },
      { name: "limit=-1 is 400", sends: "limit=-1" },
      { name: "limit=1.5 is 400", sends: "limit=1.5" },
    ]),
    ...pages({ assumption: "paging", needs: [works.offset] }, [
      { name: "offset=10001 is 400", sends: "offset=10001" },
      { name: "offset=-1 is 400", sends: "offset=-1" },
    ]),
    ...pages({ assumption: "sort", needs: [works.sort] }, [
      { name: "sort=version asc ascends", sends: bothWays("sort=version", " asc"), expects: sameBody },
      { name: sortsNested, writes: true, needs: [works.where], sends: sortFloats, expects: lastIsNone },
      {
        name: "the first of several sort parameters has precedence",
        writes: true,
        needs: [works.where, sortsNested],
        sends: select("&sort=version&sort=objectTypeProperty.arrayOfIntExample desc"),
        expects: finds("none two one", true),
      },
      { name: "sort by an unknown field is 400", sends: "sort=resourceMockVerify" },
      { name: "sort with an unknown direction is 400", sends: "sort=version up" },
      { name: "sort with 11 keys is 400", sends: fields.map((field) => `sort=${field}`).join("&") },
    ]),
    ...pages({ assumption: "where", needs: [works.where], writes: true }, [
      ...selections.map(
        ([predicate, labels, variables = ""]): Row => ({
          name: `where ${predicate}`,
          sends: select(` and ${predicate}${variables}`),
          expects: finds(labels),
        }),
      ),
      { name: "several where parameters must all match", sends: select(`&where=${anyOf(3)}`), expects: finds("two") },
      {
        name: "where takes id, key, createdAt and lastModifiedAt",
        assumption: "query-fields",
        sends: select(
          ' and id is defined and key != "-" and createdAt > "2001-01-01T00:00:00Z" and lastModifiedAt is defined',
        ),
        expects: finds("none one two"),
      },
    ]),
    ...pages({ assumption: "where", needs: [works.where] }, [
      { name: "an incomplete predicate is 400", sends: "where=version =" },
      { name: "a predicate with an unknown field is 400", sends: "where=resourceMockVerify = 1" },
      { name: "a predicate with an unknown operator is 400", sends: "where=version ~ 1" },
      { name: "a predicate with a value of another type is 400", sends: 'where=version = "one"' },
      { name: "a predicate with an unbound variable is 400", sends: "where=version = :resourceMockVerify" },
      {
        name: "the error of a predicate names the column",
        needs: ["an incomplete predicate is 400"],
        sends: "where=version =",
        given: 400,
        expects: error({ column: isNumber }),
      },
    ]),
    ...of("queryResources", {}, [
      {
        name: "the body is an ArrayTestType or a page",
        assumption: "query-body",
        needs: ["the body is valid for ArrayTestType or PagedQueryResult"],
        expects: isSampleOrPage,
      },
    ]),
    ...of("searchResources", { assumption: "search" }, [
      { name: "the body is a page", needs: [isPage], expects: { ...pageMembers, total: isPresent } },
      { name: "count is the number of results", expects: countsResults },
    ]),
    ...of("updateResource", { needs: [works.sort, works.where].map((claim) => `${sorted}: ${claim}`) }, [
      { name: "createdAt stays", assumption: "own-fields", sends: updateOlder, expects: isNotReversed },
    ]),
    ...of("checkResourceExists", {}, [
      { name: "the response has no body", kind: "contract", expects: hasNoBody },
      { name: "a project with a resource is not 404", assumption: "exists", writes: true },
    ]),
  ];
}

const pageMembers = { limit: isPresent, offset: isPresent, count: isPresent, results: isPresent };

const fields = [
  ...["id", "key", "version", "createdAt", "lastModifiedAt"],
  ...Object.keys(draftOf([], {}).objectTypeProperty).map((name) => `objectTypeProperty.${name}`),
].slice(0, 11);

/** A predicate for resources that have one of these numbers. */
function anyOf(...numbers: readonly number[]): string {
  return `objectTypeProperty(arrayOfIntExample contains any (${numbers.join(", ")}))`;
}

/** Predicates, and the labels of the resources that match: `one` has ints 1 and 2, `two` 2 and 3, `none` no float. */
const selections: readonly (readonly [predicate: string, labels: string, variables?: string])[] = [
  ["version = 1", "none one two"],
  ["version != 1", ""],
  ["version <> 1", ""],
  ["version < 2", "none one two"],
  ["version <= 0", ""],
  ["version > 1", ""],
  ["version >= 1", "none one two"],
  ["version in (1, 99)", "none one two"],
  ["version not in (1, 99)", ""],
  [anyOf(1, 9), "one"],
  ["objectTypeProperty(arrayOfIntExample contains all (2, 3))", "two"],
  ["objectTypeProperty(arrayOfFloatExample is defined)", "one two"],
  ["objectTypeProperty(arrayOfFloatExample is not defined)", "none"],
  ["objectTypeProperty(arrayOfNumberNoDefaultsExample is empty)", "none"],
  ["objectTypeProperty(arrayOfNumberNoDefaultsExample is not empty)", "one two"],
  ["objectTypeProperty(arrayOfObjectType(integerExample = 2))", "two"],
  ["objectTypeProperty(arrayOfObjectType(integerExampleInt32 != 9))", "none one two"],
  [`${anyOf(1)} and ${anyOf(2)}`, "one"],
  [`(${anyOf(1)} or ${anyOf(3)})`, "one two"],
  [`not(${anyOf(1)})`, "none two"],
  ["version = :version", "none one two", "&var.version=1"],
  ["objectTypeProperty(arrayOfIntExample contains any :ints)", "one two", "&var.ints=1&var.ints=3"],
];

/**
 * Creates three resources with the labels `one`, `two` and `none`, once for each run. Returns a predicate that selects
 * them.
 */
function labelled({ once, newName, send, draft }: Service): Promise<string> {
  return once("labelled", async () => {
    const mark = newName();
    const contents = {
      one: { arrayOfIntExample: [1, 2], arrayOfFloatExample: [0.5, 0.75] },
      two: { arrayOfIntExample: [2, 3], arrayOfFloatExample: [0.25], arrayOfObjectType: [{ integerExample: 2 }] },
      none: { arrayOfIntExample: [4], arrayOfFloatExample: undefined, arrayOfNumberNoDefaultsExample: [] },
    };
    for (const [label, content] of Object.entries(contents)) {
      const { isOk, seen } = await send("createResource", { json: draft(content, mark, label) });
      needs(isOk, `three resources; ${seen}`);
    }
    return markedBy(mark);
  });
}

/** Returns a predicate that selects the resources with a mark. */
function markedBy(mark: string): string {
  return `objectTypeProperty(arrayOfStringExample contains any (${JSON.stringify(mark)}))`;
}

/** Queries the three resources. `more`: the rest of the predicate and of the query. */
function select(more = "") {
  return async (service: Service) => `where=${await labelled(service)}${more}`;
}

/** Returns the results of a page. Throws Skip if the response is no page. */
function resultsOf(reply: Reply) {
  const results = resultsIn(reply);
  needs(results !== undefined, `a page with results; ${reply.seen}`);
  return results;
}

/** Returns the labels of the results; `other` for the resources of others. */
function labelsOf(reply: Reply): string[] {
  return resultsOf(reply).map(({ objectTypeProperty }) => {
    const texts = isObject(objectTypeProperty) ? objectTypeProperty.arrayOfStringExample : undefined;
    const label: unknown = Array.isArray(texts) ? texts[2] : undefined;
    return label === "one" || label === "two" || label === "none" ? label : "other";
  });
}

/** Expects the resources with these labels, in any order unless it is given. */
function finds(expected: string, isInOrder = false): Judge {
  return ({ reply }) => {
    const labels = labelsOf(reply);
    const found = (isInOrder ? labels : labels.sort()).join(" ");
    return { isTrue: found === expected, seen: `the resources ${found || "(none)"} of ${expected || "(none)"}` };
  };
}

async function query({ sendValid }: Service, parameters: string): Promise<Reply> {
  return (await sendValid(sorted, { query: [...new URLSearchParams(parameters)] })).reply;
}

function hasResults(count: number): Judge {
  return ({ reply }) => {
    const { length } = resultsOf(reply);
    return { isTrue: length === count, seen: `${length} results` };
  };
}

/** Skips the results before one that differs from the first one. */
async function skipSome(service: Service): Promise<Exchange> {
  await labelled(service);
  const all = resultsOf(await query(service, "limit=50"));
  const at = all.findIndex((result) => !isDeepStrictEqual(result, all[0]));
  needs(at > 0, "two different resources");
  return { json: all[at], reply: await query(service, `limit=1&offset=${at}`) };
}

function startsWith({ json, reply }: Exchange): Fact {
  return same(resultsOf(reply)[0], json, "result");
}

/** Sends a query without and with a direction. */
function bothWays(parameters: string, direction = " desc") {
  return async (service: Service): Promise<Exchange> => ({
    before: await query(service, parameters),
    reply: await query(service, parameters + direction),
  });
}

async function sortVersions(service: Service): Promise<Exchange> {
  await labelled(service);
  await service.update(await service.fresh(), [doSomeThing]);
  return await bothWays("limit=500&sort=version")(service);
}

function ascends({ before, reply }: Exchange): Fact {
  const [up, down] = [versionsOf(before ?? reply), versionsOf(reply).toReversed()];
  needs(new Set(up).size > 1, "resources with different versions");
  const isTrue = [up, down].every((all) => all.every((version, at) => at === 0 || version >= (all[at - 1] ?? version)));
  return { isTrue, seen: isTrue ? "ordered versions" : "versions that do not ascend with sort=version, or descend" };
}

function versionsOf(reply: Reply): number[] {
  return resultsOf(reply).flatMap(({ version }) => (Number.isNaN(Number(version)) ? [] : [Number(version)]));
}

async function sortFloats(service: Service): Promise<Exchange> {
  const where = await labelled(service);
  return await bothWays(`where=${where}&sort=objectTypeProperty.arrayOfFloatExample`)(service);
}

function lastIsNone(exchange: Exchange): Fact {
  const seen = labelsBothWays(exchange);
  return { isTrue: seen === "two one none ascending, one two none descending", seen };
}

/** Updates the older one of two resources, and sorts them by createdAt. */
async function updateOlder(service: Service): Promise<Exchange> {
  const mark = service.newName();
  const older = await service.fresh(service.draft({}, mark, "one"));
  await service.fresh(service.draft({}, mark, "two"));
  const { isOk, seen } = (await service.update(older, [doSomeThing])).reply;
  needs(isOk, `an update; ${seen}`);
  return await bothWays(`where=${markedBy(mark)}&sort=createdAt`)(service);
}

/** Resources of the same millisecond may have any order, but then it does not depend on the direction. */
function isNotReversed(exchange: Exchange): Fact {
  const seen = labelsBothWays(exchange);
  return { isTrue: seen !== "two one ascending, one two descending", seen };
}

function labelsBothWays({ before, reply }: Exchange): string {
  return `${labelsOf(before ?? reply).join(" ")} ascending, ${labelsOf(reply).join(" ")} descending`;
}

function countsResults({ reply }: Exchange): Fact {
  const { length } = resultsOf(reply);
  const { count } = reply.members;
  needs(typeof count === "number", "the member count");
  return { isTrue: count === length, seen: `count ${count} with ${length} results` };
}

function isSampleOrPage({ reply: { members, json } }: Exchange, { contract, secrets }: Service): Fact {
  if (Object.hasOwn(members, "results")) return { isTrue: true, seen: "a page (setting collection: paged)" };
  const arrays = Object.keys(contract.schemas.ArrayTestType?.properties ?? {});
  const isTrue = isObject(json) && arrays.some((name) => Array.isArray(members[name]));
  const others = secrets.redact(Object.keys(members).join(", ")) || "of neither";
  return { isTrue, seen: isTrue ? "an ArrayTestType (setting collection: sample)" : `members ${others}` };
}

function hasNoBody({ reply: { bodySize } }: Exchange): Fact {
  return { isTrue: bodySize === 0, seen: `${bodySize} bytes after the headers` };
}
