import { isDeepStrictEqual } from "node:util";
import type { Contract, OperationId } from "../../contract/contract.ts";
import { isObject } from "../../text/json.ts";
import type { Query } from "../messages.ts";
import { type Reply, resultsIn } from "../messages.ts";
import { needs } from "../outcome.ts";
import { checksFor, error, type Fact, isNumber, isPresent, type Judge, members, type Row, same } from "../rows.ts";
import type { Check } from "../run.ts";
import { doSomeThing } from "../samples.ts";
import type { Exchange, Service } from "../service.ts";
import { works } from "./operations.ts";
import { expand, sameBody } from "./resources.ts";

const sorted = "queryWithSortedParameters";
const isPage = "the body is valid for PagedQueryResult";
const floats = "objectTypeProperty.arrayOfFloatExample";

/** Queries: paging, sorting, predicates, search, HEAD. Other writes would change the pages, so their checks run in order. */
export function queryChecks(contract: Contract): Check[] {
  const of = (id: OperationId, shared: Partial<Row>, rows: readonly Row[]) => checksFor(contract, id, shared, rows);
  const pages = (shared: Partial<Row>, rows: readonly Row[]) => of(sorted, { inOrder: true, ...shared }, rows);
  return [
    ...pages({ writes: true }, [
      { name: works.limit, sends: select("limit=1"), expects: hasResults(1) },
      { name: works.offset, needs: [works.limit], sends: skipSome, expects: startsWith },
      { name: works.sort, sends: sortVersions, expects: sortsVersions },
      { name: works.where, sends: select(), expects: finds("none one two") },
    ]),
    ...pages({ assumption: "paging" }, [
      {
        name: "the page names its limit and offset",
        needs: [works.limit, works.offset, isPage],
        sends: page("limit=7", "offset=1"),
        expects: members({ limit: 7, offset: 1 }),
      },
      {
        name: "the default limit is 20 and the default offset is 0",
        needs: [isPage],
        expects: members({ limit: 20, offset: 0 }),
      },
      { name: "count is the number of results", sends: page("limit=3"), expects: countsResults },
      { name: "the page has total", expects: members({ total: isNumber }) },
      {
        name: "total counts all matches, not only those of the page",
        writes: true,
        needs: [works.where, works.limit, "the page has total"],
        sends: select("limit=1"),
        expects: members({ total: 3 }),
      },
      {
        name: "withTotal=false leaves out total",
        needs: ["the page has total"],
        sends: page("withTotal=false"),
        expects: members({ total: undefined }),
      },
      { name: "limit=0 returns no results", needs: [works.limit], sends: page("limit=0"), expects: hasResults(0) },
      ...["limit=501", "limit=-1", "limit=1.5"].map((query) => rejected(query, works.limit, query)),
      ...["offset=10001", "offset=-1"].map((query) => rejected(query, works.offset, query)),
      { name: "expand has no effect", assumption: "expand", sends: expand, expects: sameBody },
    ]),
    ...pages({ assumption: "sort" }, [
      { name: "sort=version asc ascends", needs: [works.sort], sends: sortAscending, expects: sameBody },
      {
        name: "sort takes nested fields, and absent values come last",
        writes: true,
        needs: [works.sort, works.where],
        sends: async (service) => await bothWays(service, `where=${await labelled(service)}`, floats),
        expects: findsBothWays(
          (ascending, descending) => ascending === "two one none" && descending === "one two none",
        ),
      },
      {
        name: "the first of several sort parameters has precedence",
        writes: true,
        needs: [works.sort, works.where, "sort takes nested fields, and absent values come last"],
        sends: select("sort=version", "sort=objectTypeProperty.arrayOfIntExample desc"),
        expects: finds("none two one", true),
      },
      rejected("sort by an unknown field", works.sort, "sort=resourceMockVerify"),
      rejected("sort with an unknown direction", works.sort, "sort=version up"),
      rejected("sort with 11 keys", works.sort, ...fields(contract).map((field) => `sort=${field}`)),
    ]),
    ...pages({ assumption: "where", writes: true, needs: [works.where] }, [
      ...selections.map(
        ([predicate, labels, ...variables]): Row => ({
          name: `where ${predicate}`,
          sends: selectBy(predicate, ...variables),
          expects: finds(labels),
        }),
      ),
      {
        name: "several where parameters must all match",
        sends: select("where=objectTypeProperty(arrayOfIntExample contains any (3))"),
        expects: finds("two"),
      },
      {
        name: "where takes id, key, createdAt and lastModifiedAt",
        assumption: "query-fields",
        sends: selectBy(
          'id is defined and key != "-" and createdAt > "2001-01-01T00:00:00Z" and lastModifiedAt is defined',
        ),
        expects: finds("none one two"),
      },
    ]),
    ...pages({ assumption: "where" }, [
      rejected("an incomplete predicate", works.where, "where=version ="),
      rejected("a predicate with an unknown field", works.where, "where=resourceMockVerify = 1"),
      rejected("a predicate with an unknown operator", works.where, "where=version ~ 1"),
      rejected("a predicate with a value of another type", works.where, 'where=version = "one"'),
      rejected("a predicate with an unbound variable", works.where, "where=version = :resourceMockVerify"),
      {
        name: "the error of a predicate names the column",
        needs: [works.where, "an incomplete predicate is 400"],
        sends: page("where=version ="),
        given: 400,
        expects: error({ column: isNumber }),
      },
    ]),
    ...of("queryResources", {}, [
      {
        name: "the body is an ArrayTestType or a page",
        assumption: "query-body",
        needs: ["the body is valid for ArrayTestType or PagedQueryResult"],
        expected:
          "The body is an ArrayTestType (setting collection: sample), or a page of resources (setting collection: paged).",
        expects: isSampleOrPage,
      },
    ]),
    ...of("searchResources", { assumption: "search" }, [
      {
        name: "the body is a page",
        needs: [isPage],
        expects: members({
          limit: isPresent,
          offset: isPresent,
          count: isPresent,
          total: isPresent,
          results: isPresent,
        }),
      },
      { name: "count is the number of results", expects: countsResults },
    ]),
    ...of("updateResource", { needs: [works.sort, works.where].map((claim) => `${sorted}: ${claim}`) }, [
      { name: "createdAt stays", assumption: "own-fields", sends: updateOlder, expects: findsBothWays(isNotReversed) },
    ]),
    ...of("checkResourceExists", {}, [
      { name: "the response has no body", kind: "contract", expects: hasNoBody },
      { name: "a project with a resource is not 404", assumption: "exists", writes: true, sends: headWithResource },
    ]),
  ];
}

/** Predicates, and the labels of the resources that match: `one` has ints 1 and 2, `two` 2 and 3, `none` no float. */
const selections: readonly (readonly [predicate: string, labels: string, ...variables: string[]])[] = [
  ["version = 1", "none one two"],
  ["version != 1", ""],
  ["version <> 1", ""],
  ["version < 2", "none one two"],
  ["version <= 0", ""],
  ["version > 1", ""],
  ["version >= 1", "none one two"],
  ["version in (1, 99)", "none one two"],
  ["version not in (1, 99)", ""],
  ["objectTypeProperty(arrayOfIntExample contains any (1, 9))", "one"],
  ["objectTypeProperty(arrayOfIntExample contains all (2, 3))", "two"],
  ["objectTypeProperty(arrayOfFloatExample is defined)", "one two"],
  ["objectTypeProperty(arrayOfFloatExample is not defined)", "none"],
  ["objectTypeProperty(arrayOfNumberNoDefaultsExample is empty)", "none"],
  ["objectTypeProperty(arrayOfNumberNoDefaultsExample is not empty)", "one two"],
  ["objectTypeProperty(arrayOfObjectType(integerExample = 2))", "two"],
  ["objectTypeProperty(arrayOfObjectType(integerExampleInt32 != 9))", "none one two"],
  [
    "objectTypeProperty(arrayOfIntExample contains any (1)) and objectTypeProperty(arrayOfIntExample contains any (2))",
    "one",
  ],
  [
    "(objectTypeProperty(arrayOfIntExample contains any (1)) or objectTypeProperty(arrayOfIntExample contains any (3)))",
    "one two",
  ],
  ["not(objectTypeProperty(arrayOfIntExample contains any (1)))", "none two"],
  ["version = :version", "none one two", "var.version=1"],
  ["objectTypeProperty(arrayOfIntExample contains any :ints)", "one two", "var.ints=1", "var.ints=3"],
];

/** Returns a query parameter of each `name=value`. */
function queryOf(parameters: readonly string[]): Query {
  return parameters.map((text) => [text.replace(/=.*/s, ""), text.replace(/^.*?=/s, "")]);
}

function page(...parameters: string[]) {
  return { query: queryOf(parameters) };
}

function rejected(what: string, need: string, ...parameters: string[]): Row {
  return { name: `${what} is 400`, needs: [need], sends: page(...parameters), expects: 400 };
}

/** Returns 11 fields of a resource. */
function fields({ schemas }: Contract): string[] {
  const content = Object.keys(schemas.ArrayTestType?.properties ?? {}).map((name) => `objectTypeProperty.${name}`);
  return ["id", "key", "version", "createdAt", "lastModifiedAt", ...content].slice(0, 11);
}

/** Creates three resources with the labels `one`, `two` and `none`, once for each run. Returns a predicate that selects them. */
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

/** Queries the three resources with further parameters. */
function select(...parameters: string[]) {
  return async (service: Service) => page(`where=${await labelled(service)}`, ...parameters);
}

/** Queries those of the three resources that match a predicate. */
function selectBy(predicate: string, ...variables: string[]) {
  return async (service: Service) => page(`where=${await labelled(service)} and ${predicate}`, ...variables);
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

/** Sends a query of the sorted parameters. */
async function query({ send }: Service, ...parameters: string[]): Promise<Reply> {
  return await send(sorted, page(...parameters));
}

function hasResults(count: number): Judge {
  return ({ reply }) => {
    const { length } = resultsOf(reply);
    return { isTrue: length === count, seen: `${length} results` };
  };
}

async function skipSome(service: Service): Promise<Exchange> {
  await labelled(service);
  const all = resultsOf(await query(service, "limit=50"));
  const at = all.findIndex((result) => !isDeepStrictEqual(result, all[0]));
  needs(at > 0, "two different resources");
  return { json: all[at], reply: await query(service, "limit=1", `offset=${at}`) };
}

function startsWith({ json, reply }: Exchange): Fact {
  return same(resultsOf(reply)[0], json, "result");
}

async function sortVersions(service: Service): Promise<Exchange> {
  await labelled(service);
  await service.update(await service.fresh(), [doSomeThing]);
  return await bothWays(service, "limit=500", "version");
}

/** Sorts the results of a query in both directions. */
async function bothWays(service: Service, parameter: string, path: string): Promise<Exchange> {
  const before = await query(service, parameter, `sort=${path}`);
  return { before, reply: await query(service, parameter, `sort=${path} desc`) };
}

function sortsVersions({ before, reply }: Exchange): Fact {
  const up = versionsOf(before ?? reply);
  const down = versionsOf(reply).toReversed();
  needs(new Set(up).size > 1, "resources with different versions");
  const isTrue = [up, down].every((versions) =>
    isDeepStrictEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    ),
  );
  return {
    isTrue,
    seen: `versions that ${isTrue ? "ascend" : "do not ascend"} with sort=version, or descend with desc`,
  };
}

function versionsOf(reply: Reply): number[] {
  return resultsOf(reply)
    .map(({ version }) => Number(version))
    .filter((version) => !Number.isNaN(version));
}

/** Expects the labels of the results in both directions. */
function findsBothWays(isExpected: (ascending: string, descending: string) => boolean): Judge {
  return ({ before, reply }) => {
    const [ascending, descending] = [labelsOf(before ?? reply).join(" "), labelsOf(reply).join(" ")];
    return { isTrue: isExpected(ascending, descending), seen: `${ascending} ascending, ${descending} descending` };
  };
}

/** Resources of the same millisecond may have any order, but then it does not depend on the direction. */
function isNotReversed(ascending: string, descending: string): boolean {
  return ascending !== "two one" || descending !== "one two";
}

async function sortAscending(service: Service): Promise<Exchange> {
  return { before: await query(service, "sort=version"), reply: await query(service, "sort=version asc") };
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

/** Updates the older one of two resources, and sorts them by createdAt. */
async function updateOlder(service: Service): Promise<Exchange> {
  const mark = service.newName();
  const older = await service.fresh(service.draft({}, mark, "one"));
  await service.fresh(service.draft({}, mark, "two"));
  const { isOk, seen } = (await service.update(older, [doSomeThing])).reply;
  needs(isOk, `an update; ${seen}`);
  return await bothWays(service, `where=${markedBy(mark)}`, "createdAt");
}

function hasNoBody({ reply: { bodySize } }: Exchange): Fact {
  return { isTrue: bodySize === 0, seen: `${bodySize} bytes after the headers` };
}

async function headWithResource({ fresh, send }: Service): Promise<Reply> {
  await fresh();
  return await send("checkResourceExists");
}
