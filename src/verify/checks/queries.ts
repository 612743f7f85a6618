import type { Contract } from "../../contract/contract.ts";
import { isObject } from "../../text/json.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import { neededResults } from "../reply.ts";
import { checksFor } from "./define.ts";
import { paging } from "./paging.ts";
import { predicates } from "./predicates.ts";
import { id, labelsOf, markedBy, sortWorks, whereWorks } from "./query.ts";
import { sorting } from "./sorting.ts";
import { bodyOf } from "./valid.ts";

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
