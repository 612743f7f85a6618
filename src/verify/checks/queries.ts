import { isDeepStrictEqual } from "node:util";
import type { Contract } from "../../contract/contract.ts";
import { isObject } from "../../text/json.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import { errorsIn, neededResults, type Reply, versionIn } from "../reply.ts";
import type { Service } from "../service.ts";
import { checksFor, type Definition } from "./define.ts";
import { limitWorks, offsetWorks, sortWorks, whereWorks } from "./query-names.ts";
import { bodyOf } from "./valid.ts";

const id = "queryWithSortedParameters";

type Query = readonly (readonly [name: string, value: string])[];

/** Queries: paging, sorting, predicates. Other writes would change their results, so they run in order. */
export function queryChecks(contract: Contract): Check[] {
  return [
    ...checksFor(
      contract,
      id,
      [...paging, ...sorting, ...predicates].map((each) => ({ ...each, inOrder: true })),
    ),
    ...checksFor(contract, "queryResources", [
      {
        claim: "the body is an ArrayTestType or a page",
        row: "query-body",
        needs: [bodyOf(contract, "queryResources")],
        expected:
          "The body is an ArrayTestType (setting collection: sample), or a page of resources (setting collection: paged).",
        async attempt(service) {
          const reply = await service.send("queryResources");
          needs(reply.isOk && reply.json !== undefined, `a body; ${reply.seen}`);
          if (Object.hasOwn(reply.members, "results")) return "a page (setting collection: paged)";
          const { ArrayTestType = {} } = contract.schemas;
          const arrays = Object.keys(ArrayTestType.properties ?? {});
          const isSample = isObject(reply.json) && arrays.some((name) => Array.isArray(reply.members[name]));
          claim(isSample, `members ${service.secrets.redact(Object.keys(reply.members).join(", ")) || "of neither"}`);
          return "an ArrayTestType (setting collection: sample)";
        },
      },
    ]),
    ...checksFor(contract, "searchResources", [
      {
        claim: "the body is a page",
        row: "search",
        needs: [bodyOf(contract, "searchResources")],
        expected: "The body is a page with limit, offset, count, total and results.",
        async attempt(service) {
          const reply = await service.send("searchResources");
          needs(reply.isOk && reply.json !== undefined, `a body; ${reply.seen}`);
          const missing = ["limit", "offset", "count", "total", "results"].filter(
            (name) => !Object.hasOwn(reply.members, name),
          );
          claim(missing.length === 0, `a body without ${missing.join(", ")}`);
          return "a page";
        },
      },
      {
        claim: "count is the number of results",
        row: "search",
        expected: "The member count is the number of results on the page.",
        async attempt(service) {
          const reply = await service.send("searchResources");
          const { length } = neededResults(reply);
          const { count } = reply.members;
          needs(typeof count === "number", "the member count");
          claim(count === length, `count ${count} with ${length} results`);
          return `count ${count} with ${length} results`;
        },
      },
    ]),
    ...checksFor(contract, "updateResource", [
      {
        claim: "createdAt stays",
        row: "own-fields",
        needs: [sortWorks, whereWorks],
        expected: "An update of the older of two resources does not change their order by createdAt.",
        async attempt(service) {
          const mark = service.newName();
          const older = await service.fresh(service.draft({}, mark, "one"));
          const newer = await service.fresh(service.draft({}, mark, "two"));
          needs(older.draft !== undefined && newer.draft !== undefined, "createResource to return an id");
          const { isOk, seen } = await service.update(older, [{ action: "doSomeThing" }]);
          needs(isOk, `an update; ${seen}`);
          const by = (sort: string) =>
            labelsOf(service, [
              ["where", markedBy(mark)],
              ["sort", sort],
            ]);
          const ascending = await by("createdAt");
          const descending = await by("createdAt desc");
          // Resources of the same millisecond may have any order, but then it does not depend on the direction.
          const isReversed = ascending === "two one" && descending === "one two";
          claim(!isReversed, "the updated resource after the newer one");
          return `${ascending} ascending, ${descending} descending`;
        },
      },
    ]),
    ...checksFor(contract, "checkResourceExists", [
      {
        claim: "the response has no body",
        kind: "contract",
        expected: "No byte follows the headers of the response.",
        async attempt(service) {
          const { bodyBytes } = await service.head();
          claim(bodyBytes === 0, `${bodyBytes} bytes after the headers`);
          return "no body";
        },
      },
      {
        claim: "a project with a resource is not 404",
        row: "exists",
        writes: true,
        expected: "While the project has a resource, the response is not 404.",
        async attempt(service) {
          await service.fresh();
          const { status, seen } = await service.head();
          claim(status !== 404, seen);
          return seen;
        },
      },
    ]),
  ];
}

const paging: readonly Definition[] = [
  {
    claim: "limit bounds the results",
    writes: true,
    expected: "With limit=1, a project with two resources returns one result.",
    async attempt(service) {
      await several(service);
      const results = await resultsOf(service, [["limit", "1"]]);
      claim(results.length === 1, `${results.length} results`);
      return "1 result";
    },
  },
  {
    claim: "offset skips results",
    writes: true,
    needs: [limitWorks],
    expected: "With offset=n, the results start with the result number n of the query without it.",
    async attempt(service) {
      await several(service);
      const all = await resultsOf(service, [["limit", "50"]]);
      const at = all.findIndex((result) => !isDeepStrictEqual(result, all[0]));
      needs(at > 0, "two different resources");
      const [first] = await resultsOf(service, [
        ["limit", "1"],
        ["offset", String(at)],
      ]);
      claim(isDeepStrictEqual(first, all[at]), "another result");
      return `the result number ${at}`;
    },
  },
  {
    claim: "the page names its limit and offset",
    row: "paging",
    needs: [limitWorks, offsetWorks, `${id}: the body is valid for PagedQueryResult`],
    expected: "The page has the limit and the offset of the query.",
    async attempt(service) {
      const reply = await pageOf(service, [
        ["limit", "7"],
        ["offset", "1"],
      ]);
      const { limit, offset } = reply.members;
      const seen = `limit ${service.secrets.shown(limit)}, offset ${service.secrets.shown(offset)}`;
      claim(limit === 7 && offset === 1, seen);
      return seen;
    },
  },
  {
    claim: "the default limit is 20 and the default offset is 0",
    row: "paging",
    expected: "A query without limit and offset returns at most 20 results from the first one.",
    async attempt(service) {
      const { limit, offset } = (await pageOf(service, [])).members;
      const seen = `limit ${service.secrets.shown(limit)}, offset ${service.secrets.shown(offset)}`;
      needs(typeof limit === "number" && typeof offset === "number", `limit and offset in the page; ${seen}`);
      claim(limit === 20 && offset === 0, seen);
      return seen;
    },
  },
  {
    claim: "count is the number of results",
    row: "paging",
    expected: "The member count is the number of results on the page.",
    async attempt(service) {
      const reply = await pageOf(service, [["limit", "3"]]);
      const { count } = reply.members;
      const { length } = neededResults(reply);
      needs(typeof count === "number", "the member count");
      claim(count === length, `count ${count} with ${length} results`);
      return `count ${count} with ${length} results`;
    },
  },
  {
    claim: "the page has total",
    row: "paging",
    expected: "The page has the number of all matches.",
    async attempt(service) {
      const { total } = (await pageOf(service, [])).members;
      claim(typeof total === "number", `total ${service.secrets.shown(total)}`);
      return `total ${total}`;
    },
  },
  {
    claim: "total counts all matches, not only those of the page",
    row: "paging",
    writes: true,
    needs: [whereWorks, limitWorks, `${id}: the page has total`],
    expected: "With limit=1, total is the number of all matches.",
    async attempt(service) {
      const { where } = await labelled(service);
      const { total } = (
        await pageOf(service, [
          ["where", where],
          ["limit", "1"],
        ])
      ).members;
      claim(total === 3, `total ${service.secrets.shown(total)} of 3 matches`);
      return "total 3 of 3 matches";
    },
  },
  {
    claim: "withTotal=false leaves out total",
    row: "paging",
    needs: [`${id}: the page has total`],
    expected: "With withTotal=false, the page has no total.",
    async attempt(service) {
      const { total } = (await pageOf(service, [["withTotal", "false"]])).members;
      claim(total === undefined, `total ${service.secrets.shown(total)}`);
      return "no total";
    },
  },
  {
    claim: "limit=0 returns no results",
    row: "paging",
    needs: [limitWorks],
    expected: "With limit=0, the page has no results.",
    async attempt(service) {
      const reply = await service.send(id, { query: [["limit", "0"]] });
      claim(reply.isOk, reply.seen);
      const { length } = neededResults(reply);
      claim(length === 0, `${length} results`);
      return "no results";
    },
  },
  invalidPaging("limit=501", "A limit above 500 returns 400.", limitWorks),
  invalidPaging("limit=-1", "A negative limit returns 400.", limitWorks),
  invalidPaging("limit=1.5", "A limit with a fraction returns 400.", limitWorks),
  invalidPaging("offset=10001", "An offset above 10,000 returns 400.", offsetWorks),
  invalidPaging("offset=-1", "A negative offset returns 400.", offsetWorks),
  {
    claim: "expand has no effect",
    row: "expand",
    expected: "The query parameter expand is accepted, and the results are the same.",
    async attempt(service) {
      const plain = await pageOf(service, [["limit", "5"]]);
      const expanded = await service.send(id, {
        query: [
          ["limit", "5"],
          ["expand", "objectTypeProperty"],
        ],
      });
      claim(expanded.isOk, expanded.seen);
      claim(isDeepStrictEqual(plain.members.results, expanded.members.results), "other results");
      return "the same results";
    },
  },
];

function invalidPaging(text: string, expected: string, base: string): Definition {
  return rejected(text, [text.split("=") as [string, string]], { row: "paging", expected, needs: [base] });
}

function rejected(text: string, query: Query, more: Pick<Definition, "row" | "expected" | "needs">): Definition {
  return {
    claim: `${text} is 400`,
    ...more,
    async attempt(service) {
      const { status, seen } = await service.send(id, { query });
      claim(status === 400, seen);
      return seen;
    },
  };
}

const sorting: readonly Definition[] = [
  {
    claim: "sort orders the results",
    writes: true,
    expected: "With sort=version, the versions ascend; with sort=version desc, they descend.",
    async attempt(service) {
      const [{ resource }] = await several(service);
      if (resource) await service.update(resource, [{ action: "doSomeThing" }]);
      const versionsBy = async (sort: string) => {
        const results = await resultsOf(service, [
          ["sort", sort],
          ["limit", "500"],
        ]);
        return results.map(({ version }) => Number(version)).filter((version) => !Number.isNaN(version));
      };
      const [ascending, descending] = [await versionsBy("version"), await versionsBy("version desc")];
      needs(new Set(ascending).size > 1, "resources with different versions");
      claim(isAscending(ascending), "versions that do not ascend with sort=version");
      claim(isAscending(descending.toReversed()), "versions that do not descend with sort=version desc");
      return "ordered versions";
    },
  },
  {
    claim: "sort=version asc ascends",
    row: "sort",
    needs: [sortWorks],
    expected: "The direction asc is the default.",
    async attempt(service) {
      const [plain, asc] = [
        await resultsOf(service, [["sort", "version"]]),
        await resultsOf(service, [["sort", "version asc"]]),
      ];
      claim(isDeepStrictEqual(plain, asc), "another order");
      return "the same order";
    },
  },
  {
    claim: "sort takes nested fields, and absent values come last",
    row: "sort",
    writes: true,
    needs: [sortWorks, whereWorks],
    expected: "sort=objectTypeProperty.arrayOfFloatExample orders by the smallest value, with absent values last.",
    async attempt(service) {
      const { where } = await labelled(service);
      const path = "objectTypeProperty.arrayOfFloatExample";
      const ascending = await labelsOf(service, [
        ["where", where],
        ["sort", path],
      ]);
      const descending = await labelsOf(service, [
        ["where", where],
        ["sort", `${path} desc`],
      ]);
      const seen = `${ascending} ascending, ${descending} descending`;
      claim(ascending === "two one none" && descending === "one two none", seen);
      return seen;
    },
  },
  {
    claim: "the first of several sort parameters has precedence",
    row: "sort",
    writes: true,
    needs: [sortWorks, whereWorks, `${id}: sort takes nested fields, and absent values come last`],
    expected: "A further sort parameter orders only results that are equal by the first one.",
    async attempt(service) {
      const { where } = await labelled(service);
      const labels = await labelsOf(service, [
        ["where", where],
        ["sort", "version"],
        ["sort", "objectTypeProperty.arrayOfIntExample desc"],
      ]);
      claim(labels === "none two one", labels);
      return labels;
    },
  },
  rejected("sort by an unknown field", [["sort", "resourceMockVerify"]], {
    row: "sort",
    expected: "A sort key that is no field returns 400.",
    needs: [sortWorks],
  }),
  rejected("sort with an unknown direction", [["sort", "version up"]], {
    row: "sort",
    expected: "A direction other than asc and desc returns 400.",
    needs: [sortWorks],
  }),
  rejected(
    "sort with 11 keys",
    [
      "id",
      "key",
      "version",
      "createdAt",
      "lastModifiedAt",
      "objectTypeProperty.arrayOfIntExample",
      "objectTypeProperty.arrayOfUniqueIntExample",
      "objectTypeProperty.arrayOfTwonumbersExample",
      "objectTypeProperty.arrayOfFloatExample",
      "objectTypeProperty.arrayOfNumberNoDefaultsExample",
      "objectTypeProperty.arrayOfStringExample",
    ].map((key) => ["sort", key]),
    { row: "sort", expected: "More than 10 different sort keys return 400.", needs: [sortWorks] },
  ),
];

/** Predicates, and the labels of the resources that match: `one` has ints 1 and 2, `two` 2 and 3, `none` no float. */
const selections: readonly (readonly [predicate: string, labels: string, variables?: Query])[] = [
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
  ["version = :version", "none one two", [["var.version", "1"]]],
  [
    "objectTypeProperty(arrayOfIntExample contains any :ints)",
    "one two",
    [
      ["var.ints", "1"],
      ["var.ints", "3"],
    ],
  ],
];

const predicates: readonly Definition[] = [
  {
    claim: "where selects the matching resources",
    writes: true,
    expected: "A predicate selects the resources that match, and no others.",
    async attempt(service) {
      const { where } = await labelled(service);
      const labels = await labelsOf(service, [["where", where]]);
      claim(labels === "none one two", `the resources ${labels || "of no label"}`);
      return "the three matching resources";
    },
  },
  ...selections.map(
    ([predicate, expected, variables = []]): Definition => ({
      claim: `where ${predicate}`,
      row: "where",
      writes: true,
      needs: [whereWorks],
      expected: `The predicate ${predicate} selects the matching resources.`,
      async attempt(service) {
        const { where } = await labelled(service);
        const query: Query = [["where", `${where} and ${predicate}`], ...variables];
        const reply = await service.send(id, { query });
        claim(reply.isOk, reply.seen);
        const labels = labelsIn(reply);
        claim(labels === expected, `the resources ${labels || "(none)"} instead of ${expected || "(none)"}`);
        return labels || "no resources";
      },
    }),
  ),
  {
    claim: "several where parameters must all match",
    row: "where",
    writes: true,
    needs: [whereWorks],
    expected: "The results match every where parameter.",
    async attempt(service) {
      const { where } = await labelled(service);
      const labels = await labelsOf(service, [
        ["where", where],
        ["where", "objectTypeProperty(arrayOfIntExample contains any (3))"],
      ]);
      claim(labels === "two", `the resources ${labels || "(none)"}`);
      return labels;
    },
  },
  {
    claim: "where takes id, key, createdAt and lastModifiedAt",
    row: "query-fields",
    writes: true,
    needs: [whereWorks],
    expected: "A predicate can use the fields id, key, createdAt and lastModifiedAt.",
    async attempt(service) {
      const { where } = await labelled(service);
      const all = `${where} and id is defined and key != "-" and createdAt > "2001-01-01T00:00:00Z" and lastModifiedAt is defined`;
      const reply = await service.send(id, { query: [["where", all]] });
      claim(reply.isOk, reply.seen);
      const labels = labelsIn(reply);
      claim(labels === "none one two", `the resources ${labels || "(none)"}`);
      return labels;
    },
  },
  ...[
    ["an incomplete predicate", "version ="],
    ["a predicate with an unknown field", "resourceMockVerify = 1"],
    ["a predicate with an unknown operator", "version ~ 1"],
    ["a predicate with a value of another type", 'version = "one"'],
    ["a predicate with an unbound variable", "version = :resourceMockVerify"],
  ].map(([what = "", predicate = ""]) =>
    rejected(what, [["where", predicate]], {
      row: "where",
      expected: `The predicate ${predicate} returns 400.`,
      needs: [whereWorks],
    }),
  ),
  {
    claim: "the error of a predicate names the column",
    row: "where",
    needs: [whereWorks, `${id}: an incomplete predicate is 400`],
    expected: "The error of an invalid predicate has the column of the problem.",
    async attempt(service) {
      const reply = await service.send(id, { query: [["where", "version ="]] });
      needs(reply.status === 400, `400; ${reply.seen}`);
      const [first] = errorsIn(reply);
      needs(first !== undefined, "an error body with errors");
      claim(typeof first.column === "number", "an error without column");
      return `column ${first.column}`;
    },
  },
];

interface Labelled {
  /** A predicate that selects the three resources. */
  readonly where: string;
}

const labelledBy = new WeakMap<Service, Promise<Labelled>>();

/** Creates three resources with the labels `one`, `two` and `none`, once for each run. */
function labelled(service: Service): Promise<Labelled> {
  const known = labelledBy.get(service) ?? createLabelled(service);
  labelledBy.set(service, known);
  return known;
}

async function createLabelled(service: Service): Promise<Labelled> {
  const mark = service.newName();
  const contents = {
    one: { arrayOfIntExample: [1, 2], arrayOfFloatExample: [0.5, 0.75] },
    two: { arrayOfIntExample: [2, 3], arrayOfFloatExample: [0.25], arrayOfObjectType: [{ integerExample: 2 }] },
    none: { arrayOfIntExample: [4], arrayOfFloatExample: undefined, arrayOfNumberNoDefaultsExample: [] },
  };
  for (const [label, content] of Object.entries(contents)) {
    const { isOk, seen } = await service.send("createResource", { json: service.draft(content, mark, label) });
    needs(isOk, `three resources; ${seen}`);
  }
  return { where: markedBy(mark) };
}

/** Returns a predicate that selects the resources with a mark. */
function markedBy(mark: string): string {
  return `objectTypeProperty(arrayOfStringExample contains any (${JSON.stringify(mark)}))`;
}

/** Returns the labels of the results of a query, in their order if the query has `sort`, and otherwise sorted. */
async function labelsOf(service: Service, query: Query): Promise<string> {
  const labels = labelsList(await pageOf(service, query));
  return (query.some(([name]) => name === "sort") ? labels : labels.sort()).join(" ");
}

function labelsIn(reply: Reply): string {
  return labelsList(reply).sort().join(" ");
}

function labelsList(reply: Reply): string[] {
  return neededResults(reply).map(({ objectTypeProperty }) => {
    const texts = isObject(objectTypeProperty) ? objectTypeProperty.arrayOfStringExample : undefined;
    const label: unknown = Array.isArray(texts) ? texts[2] : undefined;
    // Resources of others have no label.
    return label === "one" || label === "two" || label === "none" ? label : "other";
  });
}

/** Creates two resources with different content. */
async function several(service: Service) {
  const create = async () => {
    const { send, draft } = service;
    const json = draft();
    const reply = await send("createResource", { json });
    needs(reply.isOk, `two resources; ${reply.seen}`);
    const [, segment] = /\/resource\/([^/]+)$/.exec(reply.header("location") ?? "") ?? [];
    return segment === undefined ? {} : { resource: { id: segment, version: versionIn(reply), draft: json } };
  };
  return [await create(), await create()] as const;
}

async function pageOf(service: Service, query: Query): Promise<Reply> {
  const reply = await service.send(id, { query });
  needs(reply.isOk && isObject(reply.json), `a page; ${reply.seen}`);
  return reply;
}

async function resultsOf(service: Service, query: Query) {
  return neededResults(await pageOf(service, query));
}

function isAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
}
