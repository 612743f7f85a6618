import { isDeepStrictEqual } from "node:util";
import { claim, needs } from "../outcome.ts";
import { neededResults } from "../reply.ts";
import type { Definition } from "./define.ts";
import { id, labelled, limitWorks, offsetWorks, pageOf, rejected, resultsOf, several, whereWorks } from "./query.ts";

/** Limits, offsets and the members of a page. */
export const paging: readonly Definition[] = [
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
