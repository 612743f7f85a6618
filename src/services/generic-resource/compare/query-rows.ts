import { DEFAULT_PAGE_RESULTS, isObject, present, typed } from "../../../contract/index.ts";
import {
  about,
  anotherThan,
  type ComparedService,
  idOf,
  type Judge,
  needs,
  type Reply,
  type Rows,
  type Sender,
} from "../../../tools/compare/index.ts";
import { type Content, doSomeThing, draft, newResource, versionOf } from "./drafts.ts";

const sorted = "queryWithSortedParameters";

/** The basic checks of queries. A service that ignores one of these parameters also accepts invalid values of it. */
export const works = {
  where: "where selects the matching resources",
  sort: "sort orders the results",
  limit: "limit=1 returns at most one resource",
  offset: "offset skips results",
} as const;

const isPage = "the body is valid for PagedQueryResult";
const hasTotal = "the page has total";
const incomplete = "an incomplete predicate is 400";
const sortsNested = "sort takes nested fields, and absent values come last";

function anyOf(...numbers: readonly number[]): string {
  return `objectTypeProperty(arrayOfIntExample contains any (${numbers.join(", ")}))`;
}

/** Predicates by the labels of the resources that match: `one` has ints 1 and 2, `two` 2 and 3, `none` no float. */
const selections: Readonly<Record<string, readonly string[]>> = {
  "none one two": ["version in (1, 99)", "version = :version"],
  "": ["version != 1", "version not in (1, 99)"],
  one: [`${anyOf(1)} and ${anyOf(2)}`],
  two: ["objectTypeProperty(arrayOfIntExample contains all (2, 3))"],
  none: ["objectTypeProperty(arrayOfFloatExample is not defined)"],
  "one two": [
    "objectTypeProperty(arrayOfNumberNoDefaultsExample is not empty)",
    `(${anyOf(1)} or ${anyOf(3)})`,
    "objectTypeProperty(arrayOfIntExample contains any :ints)",
  ],
  "none two": [`not(${anyOf(1)})`],
};

const selected: Rows = Object.fromEntries(
  Object.entries(selections).flatMap(([labels, predicates]) =>
    predicates.map((predicate) => {
      const variables = predicate.includes(":") ? "&var.version=1&var.ints=1&var.ints=3" : "";
      return [`where ${predicate}`, { sends: select(` and ${predicate}${variables}`), expects: finds(labels) }];
    }),
  ),
);

/** Creates resources with a mark, once for each run. Returns a predicate that selects them. */
function marked(name: string, create: (service: ComparedService, mark: string) => Promise<void>) {
  return (service: ComparedService): Promise<string> =>
    service.once(name, async () => {
      const mark = service.newName();
      await create(service, mark);
      return `objectTypeProperty(arrayOfStringExample contains any ("${mark}"))`;
    });
}

const labelled = marked("labelled", async (service, mark) => {
  const fresh = (label: string, content: Content) => newResource(service, draft(service, content, mark, label));
  await fresh("one", { arrayOfIntExample: [1, 2], arrayOfFloatExample: [0.5, 0.75] });
  await fresh("two", { arrayOfIntExample: [2, 3], arrayOfFloatExample: [0.25] });
  await fresh("none", { arrayOfIntExample: [4], arrayOfFloatExample: undefined, arrayOfNumberNoDefaultsExample: [] });
});

/** The resource `one` is older than `two`, and then updated. */
const updated = marked("updated", async (service, mark) => {
  const one = await newResource(service, draft(service, {}, mark, "one"));
  await newResource(service, draft(service, {}, mark, "two"));
  const json = { version: await versionOf(one, service), actions: [doSomeThing] };
  const { isOk, seen } = await service.send("updateResource", { path: { id: idOf(one) }, json });
  needs(isOk, `an update; ${seen}`);
});

const reversed = "two one ascending, one two descending";

/** Queries: paging, sorting, predicates, search, HEAD. */
export const queryRows: Rows = {
  ...about(sorted)({
    [works.limit]: { sends: select("&limit=1"), expects: { "/results/0": present, "/results/1": undefined } },
    [works.offset]: {
      needs: [works.limit],
      async sends(service) {
        await labelled(service);
        return { first: "limit=2", query: "limit=1&offset=1" };
      },
      expects: ({ before, reply }) => [["the result", resultsOf(reply)[0], before && resultsOf(before)[1]]],
    },
    [works.where]: { sends: select(), expects: finds("none one two") },
    [works.sort]: {
      needs: [works.where, "updateResource: raises the version by 1"],
      sends: bothWays(updated, "version"),
      expects: shows(reversed),
    },
    "where takes id, key, createdAt and lastModifiedAt": {
      source: "query-fields",
      needs: [works.where],
      sends: select(
        ' and id is defined and key != "-" and createdAt > "2001-01-01T00:00:00Z" and lastModifiedAt is defined',
      ),
      expects: finds("none one two"),
    },
    "limit=abc is 400": { source: "contract", needs: [works.limit] },
    "offset=abc is 400": { source: "contract", needs: [works.offset] },
  }),
  ...about(sorted, { source: "paging" })({
    [hasTotal]: {},
    "count is the number of results": { query: "limit=3" },
    [`the default limit is ${DEFAULT_PAGE_RESULTS} and the default offset is 0`]: {
      needs: [isPage],
      expects: { "/limit": DEFAULT_PAGE_RESULTS, "/offset": 0 },
    },
    "the page names its limit and offset": { needs: [isPage, works.limit, works.offset], query: "limit=7&offset=1" },
    "withTotal=false leaves out total": {
      needs: [hasTotal],
      query: "withTotal=false",
      expects: { "/total": undefined },
    },
    "total counts all matches, not only those of the page": {
      needs: [hasTotal, works.where, works.limit],
      sends: select("&limit=1"),
      expects: { "/total": 3 },
    },
    "limit=501 is 400": { needs: [works.limit], query: "limit=501" },
    "offset=10001 is 400": { needs: [works.offset], query: "offset=10001" },
  }),
  ...about(sorted, { source: "sort", needs: [works.sort] })({
    [sortsNested]: {
      sends: bothWays(labelled, "objectTypeProperty.arrayOfFloatExample"),
      expects: shows("two one none ascending, one two none descending"),
    },
    "the first of several sort parameters has precedence": {
      needs: [sortsNested],
      sends: select("&sort=version&sort=objectTypeProperty.arrayOfIntExample desc"),
      expects: finds("none two one", true),
    },
    "sort by an unknown field is 400": { query: "sort=resourceMockCompare" },
    "sort with an unknown direction is 400": { query: "sort=version up" },
  }),
  ...about(sorted, { source: "where", needs: [works.where] })({
    ...selected,
    "several where parameters must all match": { sends: select(`&where=${anyOf(3)}`), expects: finds("two") },
    [incomplete]: { query: "where=version =" },
    "a predicate with an unknown field is 400": { query: "where=resourceMockCompare = 1" },
    "a predicate with a value of another type is 400": { query: 'where=version = "one"' },
    "the error of a predicate names the column": {
      needs: [incomplete],
      query: "where=version =",
      given: 400,
      expects: { "/errors/0/column": typed("number") },
    },
  }),
  "queryResources: the body is an ArrayTestType or a page": {
    source: "query-body",
    needs: ["the body is valid for ArrayTestType or PagedQueryResult"],
  },
  "searchResources: the body is a page": { source: "search", needs: [isPage] },
  "searchResources: count is the number of results": { source: "search" },
  "updateResource: createdAt stays": {
    source: "own-fields",
    needs: [`${sorted}: ${works.sort}`],
    sends: bothWays(updated, "createdAt"),
    // Resources of the same millisecond may have any order, but then it does not depend on the direction.
    expects: shows(anotherThan(reversed)),
  },
  "checkResourceExists: a project with a resource is not 404": { source: "exists" },
};

/** Queries the three resources. `more`: the rest of the predicate and of the query. */
function select(more = ""): Sender {
  return async (service) => ({ query: `where=${await labelled(service)}${more}` });
}

/** Sorts selected resources by a field, first ascending and then descending. */
function bothWays(selection: typeof labelled, field: string): Sender {
  return async (service) => {
    const first = `where=${await selection(service)}&sort=${field}`;
    return { at: sorted, first, query: `${first} desc` };
  };
}

/** Returns the results of a page. Throws Skip if the response is no page. */
function resultsOf({ isOk, members: { results }, seen }: Reply) {
  needs(isOk && Array.isArray(results) && results.every(isObject), `a page with results; ${seen}`);
  return results;
}

/** Returns the labels of the results; `other` for the resources of others. */
function labelsOf(reply: Reply): string[] {
  return resultsOf(reply).map((result) => /"(one|two|none)"/.exec(JSON.stringify(result))?.[1] ?? "other");
}

/** Expects the resources with these labels, in any order unless it is given. */
function finds(expected: string, isInOrder = false): Judge {
  return ({ reply }) => {
    const labels = labelsOf(reply);
    return [["the labels of the results", (isInOrder ? labels : labels.sort()).join(" "), expected]];
  };
}

function shows(expected: unknown): Judge {
  return ({ before, reply }) => {
    const found = `${labelsOf(before ?? reply).join(" ")} ascending, ${labelsOf(reply).join(" ")} descending`;
    return [["the order of the results", found, expected]];
  };
}
