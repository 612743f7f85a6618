import { claim, needs } from "../outcome.ts";
import { errorsIn } from "../reply.ts";
import type { Definition } from "./define.ts";
import { id, labelled, labelsIn, labelsOf, type Query, rejected, whereWorks } from "./query.ts";

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

/** The results that a predicate selects. */
export const predicates: readonly Definition[] = [
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
