/** A choice of the mock where the interface leaves a question open. The texts are Markdown. */
export interface Assumption {
  /** Stable, because checks refer to it. */
  readonly id: string;
  readonly question: string;
  readonly behaviour: string;
  /** The ids of the operations that it concerns; undefined if it concerns all, or none in particular. */
  readonly operations?: readonly string[];
  /** Why no check of `resource-mock compare` tries it; undefined if one does. */
  readonly untried?: string;
}

/** The assumptions, by the section of docs/behaviour.md that lists them. */
export const assumptions = {
  resources: [
    {
      id: "location",
      question: "How does a client learn the id of a new resource?",
      behaviour: "201 has `Location: /{projectKey}/resource/{id}`. The body is an ObjectTestType without the id.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      id: "encoded-key",
      question: "What does `key%3Dabc` in a path mean?",
      behaviour:
        "The same as `key=abc`: the resource with the key `abc`. Some clients encode the whole segment. The service " +
        "therefore cannot address a resource whose id starts with `key=`; the control API can.",
      operations: ["getResourceByKey"],
    },
    {
      id: "unknown-ids",
      question: "What do `getResourceById` and `getResourceByKey` return for an unknown id or key?",
      behaviour:
        "The setting `unknownIds` decides. With `fixture`, the first use by any operation creates the resource from " +
        "the fixture at version 1; from then on it is part of the state. With `not-found`, the response is 404. In " +
        "both modes, these are 404: a deleted id or key, the old key of a resource whose key has changed, and an id " +
        "or key of more than 256 characters.",
      operations: ["getResourceById", "getResourceByKey", "updateResource", "deleteResource"],
    },
    {
      id: "written-resource",
      question:
        "Which resource do `createResource`, `overwriteResource` and `createOrOverwriteResource` write, as a draft " +
        "has neither id nor key?",
      behaviour:
        "`createResource` creates another resource each time. The other two overwrite the resource that the clients " +
        "of this project last wrote through one of the three operations, and raise its version by 1. Without such a " +
        "resource, or if it was deleted, they create one. Seeded resources and resources created from a fixture do " +
        "not count. All three return 201.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      id: "own-fields",
      question: "Which fields of a draft does the service set itself?",
      behaviour:
        "`id`, `key`, `version`, `createdAt`, `lastModifiedAt` and `createdBy`. It ignores these fields in a draft, " +
        "and keeps and returns all other extra fields.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      id: "required-fields",
      question: "Which fields are required?",
      behaviour:
        "A draft requires `objectTypeProperty`; its arrays are optional. An update requires `version` and " +
        "`actions`. The array names in the interface mention uniqueness and two items, but the interface states no " +
        "such rule, so the mock enforces none.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
    },
    {
      id: "highest-version",
      question: "How high can a version be?",
      behaviour:
        "Up to 1,000,000,000,000,000. A resource at this version cannot change again: updates and overwrites are " +
        "400 `InvalidInput`.",
      operations: ["updateResource", "overwriteResource", "createOrOverwriteResource"],
      untried: "A client would need that many updates.",
    },
    {
      id: "actions",
      question: "What does `updateResource` do with several actions?",
      behaviour:
        "It applies all actions or none, and raises the version by 1 for the whole request. An empty list changes " +
        "nothing. An unknown action name is 400. `changeSomeProperty` stores `someProperty`; without the field it " +
        "changes nothing.",
      operations: ["updateResource"],
    },
    {
      id: "unvalidated-state",
      question: "What does the project keep if `validation` is `report` or `off`?",
      behaviour:
        "The state as the client sent it, valid or not. An import validates every resource and rejects an invalid " +
        'state. `PUT …/state` with `{ "from": "other-project" }` and snapshots take a state as it is.',
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
      untried: "It concerns settings and the control API of the mock.",
    },
  ],
  queries: [
    {
      id: "query-body",
      question: "What is the body of `queryResources`?",
      behaviour:
        "The ArrayTestType fixture, as in the interface's sample. With the setting `collection: paged` or the " +
        "scenario `paged-query`, a page of the project's resources, with the query parameters of " +
        "`queryWithSortedParameters`.",
      operations: ["queryResources"],
    },
    {
      id: "paging",
      question: "What is the paging envelope?",
      behaviour:
        "`{ limit, offset, count, total, results }`, where `results` are ObjectTestTypes. `limit` is 20 by default " +
        "and at most 500. `offset` is 0 by default and at most 10,000. Both are whole numbers. `withTotal=false` " +
        "leaves out `total`.",
      operations: ["queryResources", "queryWithSortedParameters"],
    },
    {
      id: "sort",
      question: "How does `sort` work?",
      behaviour:
        "`sort=path` or `sort=path desc`, repeatable, with at most 4 different keys. A key that is repeated has no " +
        "effect. Absent values come last.",
      operations: ["queryWithSortedParameters"],
    },
    {
      id: "where",
      question: "What does `where` understand?",
      behaviour:
        "Comparisons: `= != <> < > <= >=`, `in (…)`, `not in (…)`. Arrays: `contains any (…)`, `contains all (…)`, " +
        "`is [not] empty`. Presence: `is [not] defined`. Combinations: `and`, `or`, `not(…)`. Nesting: " +
        "`objectTypeProperty(arrayOfIntExample contains any (1, 2))`. Variables: `:name` is the value of the query " +
        "parameter `var.name`. Several `where` parameters must all match. An absent field equals nothing, so `!=` " +
        "and `not in` match it. An invalid predicate is 400 with the column.",
      operations: ["queryWithSortedParameters"],
    },
    {
      id: "query-fields",
      question: "Which fields can a query use?",
      behaviour: "Those of ObjectTestType, and `id`, `key`, `createdAt`, `lastModifiedAt`.",
      operations: ["queryWithSortedParameters"],
    },
    {
      id: "expand",
      question: "What does `expand` do?",
      behaviour: "Nothing; the journal records it.",
      operations: ["queryWithSortedParameters", "getResourceById", "getResourceByKey"],
    },
    {
      id: "search",
      question: "What does `searchResources` return?",
      behaviour: "The envelope from its fixture. A `fuzzyLevel` above the setting `maxFuzzyLevel` is 400.",
      operations: ["searchResources"],
    },
    {
      id: "exists",
      question: "When does `checkResourceExists` return 404?",
      behaviour: "If the project has no resource. The response has no body.",
      operations: ["checkResourceExists"],
    },
  ],
  "other-operations": [
    {
      id: "complex-status",
      question: "Which status does `runComplexOperation` return?",
      behaviour: "200. A scenario or `Prefer` selects 201 or 203.",
      operations: ["runComplexOperation"],
    },
    {
      id: "images",
      question: "Which images does `uploadImage` accept?",
      behaviour:
        "JPEG, PNG and GIF. Another content type is 415. First bytes that do not match the content type are 400. An " +
        "image larger than the setting `maxImageBytes` is 413. The control API returns the kept image.",
      operations: ["uploadImage"],
    },
    {
      id: "namespace-actions",
      question: "What do the namespace actions return?",
      behaviour:
        "`writeNamespaceAction` returns its fixture and keeps a JSON body. `readNamespaceAction` returns the kept " +
        "body, or else its fixture.",
      operations: ["writeNamespaceAction", "readNamespaceAction"],
    },
  ],
  requests: [
    {
      id: "unknown-names",
      question: "What happens to unknown fields and query parameters?",
      behaviour: "The service accepts them. It keeps unknown fields, and the journal records unknown parameters.",
    },
    {
      id: "types",
      question: "How strict are types?",
      behaviour:
        "The mock enforces them as named: int32 range (`Int` parameters too), date-times (RFC 3339), decimal and " +
        "whole numbers, `true` and `false`, and a single value where the interface names no list. A JSON number " +
        "that the server cannot return unchanged is 400 for any value of the setting `validation`: `1e400`, " +
        "`9007199254740993`. Fractions are rounded to 64 bits.",
    },
    {
      id: "json-parameters",
      question: "How does a query parameter hold an object?",
      behaviour:
        "As JSON: `objectParameter` and `unionParameter`. `unionParameter` also takes a date-time without quotes.",
      operations: ["queryResources", "checkResourceExists"],
    },
    {
      id: "encodings",
      question: "Which body encodings are accepted?",
      behaviour: "Only `identity`. Another `Content-Encoding` is 415.",
    },
    {
      id: "depth",
      question: "How deep may JSON be nested?",
      behaviour: "200 levels. Deeper JSON is 400 `InvalidInput`.",
    },
    {
      id: "head",
      question: "Which paths accept HEAD?",
      behaviour: "Only that of `checkResourceExists`. Other paths return 405.",
    },
    {
      id: "project-keys",
      question: "Which project keys are reserved?",
      behaviour: "`oauth`, and keys that start with `__`. A key has at most 256 characters.",
    },
    {
      id: "project-creation",
      question: "Which requests create a project?",
      behaviour:
        "A request to an operation of the interface. So does a change through the control API, and a wait for " +
        "requests, but not a reset or a deletion of a project. Other reads of the control API create no project: " +
        "they return its initial state. An unknown path (404) or a wrong method (405) creates no project. In an " +
        "existing project, the journal records such requests.",
      untried: "It concerns the control API of the mock.",
    },
    {
      id: "hosts",
      question: "Which host names are served?",
      behaviour:
        "Any `Host`. The first server of an OpenAPI document is the address that the client called. The second " +
        "server of the contract contains the variables `region` and `cloudProvider` of the interface.",
    },
    {
      id: "root",
      question: "What does `GET /` return?",
      behaviour: "A browser is redirected to the dashboard. Other clients get 404 `EndpointNotFound`.",
      untried: "It concerns the dashboard of the mock.",
    },
    {
      id: "errors",
      question: "What is the body of an error?",
      behaviour:
        '`{ "statusCode", "message", "errors": [{ "code", "message", … }] }`, where `statusCode` is the status of ' +
        "the response. 409 has `currentVersion`, an invalid value has `field`, 405 has the header `Allow`, and 401 " +
        "and 403 have `error`, `error_description` and `WWW-Authenticate` (RFC 6750).",
    },
  ],
  tokens: [
    {
      id: "token-endpoint",
      question: "How does a client get a token?",
      behaviour:
        "`POST /oauth/token` with `grant_type=client_credentials`; the client sends its credentials with HTTP Basic " +
        "or in the form. `/oauth/introspect` (RFC 7662) and `/oauth/token/revoke` (RFC 7009) exist too.",
    },
    {
      id: "clients",
      question: "Which clients are accepted?",
      behaviour: "Any client, unless `--client` configures some.",
      untried: "A client cannot know which clients the service has.",
    },
    {
      id: "token-scopes",
      question: "What does a token without `scope` grant?",
      behaviour: "Every scope. The responses of the token endpoint and of introspection then have no `scope`.",
    },
    {
      id: "token-expiry",
      question: "By which clock does a token expire?",
      behaviour:
        "By the clock of the project that receives it, so moving this clock can expire the token. A token without " +
        "scopes expires in each project by the clock of this project.",
      untried: "It concerns the clocks of the mock.",
    },
    {
      id: "project-tokens",
      question: "Which tokens does a project hold?",
      behaviour:
        "Tokens issued through its control API, and tokens with scopes of this project only. `DELETE " +
        "…/tokens/{token}` revokes these tokens; other tokens are 404 there. A reset forgets them.",
      untried: "It concerns the control API of the mock.",
    },
    {
      id: "revocation",
      question: "How long is a token revoked?",
      behaviour: "Until it expires, also after a reset of the project.",
      untried: "The real service may have no endpoint that revokes tokens, and a revoked token would end the run.",
    },
    {
      id: "any-token",
      question: "Which scopes do `runComplexOperation`, `updateResource` and the custom actions need?",
      behaviour: "None beyond a valid token of the project.",
      operations: ["runComplexOperation", "updateResource", "writeNamespaceAction", "readNamespaceAction", "getCart"],
    },
    {
      id: "open-pages",
      question: "Are the dashboard and the API reference open if there is an admin token?",
      behaviour:
        "The pages themselves are, as a browser cannot send a token with an address. They contain no project data, " +
        "and show a form for the token.",
      untried: "It concerns the pages of the mock.",
    },
  ],
} as const satisfies Record<string, readonly Assumption[]>;

/** The ids of the assumptions. Reports and checks refer to them. */
export type AssumptionId = (typeof assumptions)[keyof typeof assumptions][number]["id"];

/** Returns the assumptions about an operation. */
export function assumptionsOf(operationId: string): readonly Assumption[] {
  const all: readonly Assumption[] = Object.values(assumptions).flat();
  return all.filter(({ operations }) => operations?.includes(operationId));
}
