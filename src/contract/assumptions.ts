/** A choice of the mock where the interface leaves a question open. The texts are Markdown. */
export interface Assumption {
  readonly question: string;
  readonly behaviour: string;
  /** The ids of the operations that it concerns. */
  readonly operations: readonly string[];
}

/** The assumptions about operations, by the section of docs/behaviour.md that lists them. */
export const assumptions = {
  resources: [
    {
      question: "How does a client learn the id of a new resource?",
      behaviour: "201 has `Location: /{projectKey}/resource/{id}`. The body is an ObjectTestType without the id.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      question: "What does `key%3Dabc` in a path mean?",
      behaviour:
        "The same as `key=abc`: the resource with the key `abc`. Some clients encode the whole segment. The service therefore cannot address a resource whose id starts with `key=`; the control API can.",
      operations: ["getResourceByKey"],
    },
    {
      question: "What do `getResourceById` and `getResourceByKey` return for an unknown id or key?",
      behaviour:
        "The setting `unknownIds` decides. With `fixture`, the first use by any operation creates the resource from the fixture at version 1; from then on it is part of the state. With `not-found`, the response is 404. In both modes, these are 404: a deleted id or key, the old key of a resource whose key has changed, and an id or key of more than 256 characters.",
      operations: ["getResourceById", "getResourceByKey", "updateResource", "deleteResource"],
    },
    {
      question:
        "Which resource do `createResource`, `overwriteResource` and `createOrOverwriteResource` write, as a draft has neither id nor key?",
      behaviour:
        "`createResource` creates another resource each time. The other two overwrite the resource that the clients of this project last wrote through one of the three operations, and raise its version by 1. Without such a resource, or if it was deleted, they create one. Seeded resources and resources created from a fixture do not count. All three return 201.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      question: "Which fields of a draft does the service set itself?",
      behaviour:
        "`id`, `key`, `version`, `createdAt`, `lastModifiedAt` and `createdBy`. It ignores these fields in a draft, and keeps and returns all other extra fields.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      question: "Which fields are required?",
      behaviour:
        "A draft requires `objectTypeProperty`; its arrays are optional. An update requires `version` and `actions`. The array names in the interface mention uniqueness and two items, but the interface states no such rule, so the mock enforces none.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
    },
    {
      question: "How high can a version be?",
      behaviour:
        "Up to 1,000,000,000,000,000. A resource at this version cannot change again: updates and overwrites are 400 `InvalidInput`.",
      operations: ["updateResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      question: "What does `updateResource` do with several actions?",
      behaviour:
        "It applies all actions or none, and raises the version by 1 for the whole request. An empty list changes nothing. An unknown action name is 400. `changeSomeProperty` stores `someProperty`; without the field it changes nothing.",
      operations: ["updateResource"],
    },
    {
      question: "What does the project keep if `validation` is `report` or `off`?",
      behaviour:
        'The state as the client sent it, valid or not. An import validates every resource and rejects an invalid state. `PUT …/state` with `{ "from": "other-project" }` and snapshots take a state as it is.',
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
    },
  ],
  queries: [
    {
      question: "What is the body of `queryResources`?",
      behaviour:
        "The ArrayTestType fixture, as in the interface's sample. With the setting `collection: paged` or the scenario `paged-query`, a page of the project's resources, with the query parameters of `queryWithSortedParameters`.",
      operations: ["queryResources"],
    },
    {
      question: "What is the paging envelope?",
      behaviour:
        "`{ limit, offset, count, total, results }`, where `results` are ObjectTestTypes. `limit` is 20 by default and at most 500. `offset` is 0 by default and at most 10,000. Both are whole numbers. `withTotal=false` leaves out `total`.",
      operations: ["queryResources", "queryWithSortedParameters"],
    },
    {
      question: "How does `sort` work?",
      behaviour:
        "`sort=path` or `sort=path desc`, repeatable, with at most 10 different keys. A key that is repeated has no effect. Absent values come last.",
      operations: ["queryWithSortedParameters"],
    },
    {
      question: "What does `where` understand?",
      behaviour:
        "Comparisons: `= != <> < > <= >=`, `in (…)`, `not in (…)`. Arrays: `contains any (…)`, `contains all (…)`, `is [not] empty`. Presence: `is [not] defined`. Combinations: `and`, `or`, `not(…)`. Nesting: `objectTypeProperty(arrayOfIntExample contains any (1, 2))`. Variables: `:name` is the value of the query parameter `var.name`. Several `where` parameters must all match. An absent field equals nothing, so `!=` and `not in` match it. An invalid predicate is 400 with the column.",
      operations: ["queryWithSortedParameters"],
    },
    {
      question: "Which fields can a query use?",
      behaviour: "Those of ObjectTestType, and `id`, `key`, `createdAt`, `lastModifiedAt`.",
      operations: ["queryWithSortedParameters"],
    },
    {
      question: "What does `expand` do?",
      behaviour: "Nothing; the journal records it.",
      operations: ["queryWithSortedParameters", "getResourceById", "getResourceByKey"],
    },
    {
      question: "What does `searchResources` return?",
      behaviour: "The envelope from its fixture. A `fuzzyLevel` above the setting `maxFuzzyLevel` is 400.",
      operations: ["searchResources"],
    },
    {
      question: "When does `checkResourceExists` return 404?",
      behaviour: "If the project has no resource. The response has no body.",
      operations: ["checkResourceExists"],
    },
  ],
  "other-operations": [
    {
      question: "Which status does `runComplexOperation` return?",
      behaviour: "200. A scenario or `Prefer` selects 201 or 203.",
      operations: ["runComplexOperation"],
    },
    {
      question: "Which images does `uploadImage` accept?",
      behaviour:
        "JPEG, PNG and GIF. Another content type is 415. First bytes that do not match the content type are 400. An image larger than the setting `maxImageBytes` is 413. The control API returns the kept image.",
      operations: ["uploadImage"],
    },
    {
      question: "What do the namespace actions return?",
      behaviour:
        "`writeNamespaceAction` returns its fixture and keeps a JSON body. `readNamespaceAction` returns the kept body, or else its fixture.",
      operations: ["writeNamespaceAction", "readNamespaceAction"],
    },
  ],
} as const satisfies Record<string, readonly Assumption[]>;

/** Returns the assumptions about an operation. */
export function assumptionsOf(operationId: string): readonly Assumption[] {
  const all: readonly Assumption[] = Object.values(assumptions).flat();
  return all.filter(({ operations }) => operations.includes(operationId));
}
