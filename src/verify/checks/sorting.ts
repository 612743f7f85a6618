import { isDeepStrictEqual } from "node:util";
import { claim, needs } from "../outcome.ts";
import type { Definition } from "./define.ts";
import { id, labelled, labelsOf, rejected, resultsOf, several, sortWorks, whereWorks } from "./query.ts";

/** The order of the results. */
export const sorting: readonly Definition[] = [
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

function isAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
}
