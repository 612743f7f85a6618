/** What the mock assumes where the interface leaves a question open. The texts are Markdown. */
export interface Assumption {
  /** Stable, because checks refer to it. */
  readonly id: string;
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
      behaviour:
        "A created or overwritten resource is 201 with `Location: /{projectKey}/resource/{id}`. The body is an " +
        "ObjectTestType without the id.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      id: "encoded-key",
      behaviour:
        "`key%3Dabc` in a path means `key=abc`: the resource with the key `abc`. Only the control API can " +
        "address an id that starts with `key=`.",
      operations: ["getResourceByKey"],
    },
    {
      id: "unknown-ids",
      behaviour:
        "The setting `unknownIds` decides what happens to an unknown id or key. With `fixture`, the first use " +
        "creates the resource from the fixture, at version 1. With `not-found`, the response is 404. A deleted id or " +
        "key, the old key of a resource whose key has changed, and more than 256 characters are always 404.",
      operations: ["getResourceById", "getResourceByKey", "updateResource", "deleteResource"],
    },
    {
      id: "written-resource",
      behaviour:
        "`createResource` creates another resource each time. `overwriteResource` and `createOrOverwriteResource` " +
        "overwrite the resource that clients last wrote with one of these three operations, because a draft has no " +
        "id, and raise its version by 1. If there is no such resource, they create one. The status is always 201.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      id: "own-fields",
      behaviour:
        "The service sets `id`, `key`, `version`, `createdAt`, `lastModifiedAt` and `createdBy` itself, and ignores " +
        "them in a draft (the body of a create or an overwrite). Other extra fields are kept and returned.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource"],
    },
    {
      id: "required-fields",
      behaviour:
        "A draft requires `objectTypeProperty`; its arrays are optional and may have any items of their type. An " +
        "update requires `version` and `actions`.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
    },
    {
      id: "highest-version",
      behaviour:
        "A version is at most 1,000,000,000,000,000. A resource at this version cannot change again: updates and " +
        "overwrites are 400 `InvalidInput`.",
      operations: ["updateResource", "overwriteResource", "createOrOverwriteResource"],
      untried: "A client would need that many updates.",
    },
    {
      id: "actions",
      behaviour:
        "`updateResource` applies all actions or none, and raises the version by 1. An empty list changes " +
        "nothing. An unknown action is 400. `changeSomeProperty` stores `someProperty`; without this field, it " +
        "changes nothing.",
      operations: ["updateResource"],
    },
    {
      id: "unvalidated-state",
      behaviour:
        "With `validation: report` or `off`, the project keeps what the client has sent, valid or not. An import " +
        "rejects an invalid state; snapshots and copies of a project accept it.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
      untried: "It concerns settings and the control API of the mock.",
    },
  ],
  queries: [
    {
      id: "query-body",
      behaviour:
        "`queryResources` returns the ArrayTestType fixture. With the setting `collection: paged` or the " +
        "scenario `paged-query`, it returns a page of the project's resources, and takes the parameters of " +
        "`queryWithSortedParameters`.",
      operations: ["queryResources"],
    },
    {
      id: "paging",
      behaviour:
        "A page is `{ limit, offset, count, total, results }`, where `results` are ObjectTestTypes. `limit` is " +
        "20 by default and at most 500; `offset` is 0 by default and at most 10,000. `withTotal=false` leaves " +
        "out `total`.",
      operations: ["queryResources", "queryWithSortedParameters"],
    },
    {
      id: "sort",
      behaviour:
        "`sort=path` or `sort=path desc`, repeatable, with at most 4 different keys. Resources without the value " +
        "come last.",
      operations: ["queryWithSortedParameters"],
    },
    {
      id: "where",
      behaviour:
        "A predicate has comparisons (`= != <> < > <= >=`, `in (…)`, `not in (…)`), tests of arrays (`contains " +
        "any (…)`, `contains all (…)`, `is [not] empty`), `is [not] defined`, `and`, `or`, `not(…)`, nested " +
        "fields (`objectTypeProperty(arrayOfIntExample contains any (1, 2))`) and variables: `:name` is the " +
        "query parameter `var.name`. If `where` is repeated, all predicates must match. A missing field matches " +
        "`!=` and `not in`. An invalid predicate is 400 with the column.",
      operations: ["queryWithSortedParameters"],
    },
    {
      id: "query-fields",
      behaviour: "Queries can use the fields of ObjectTestType, and `id`, `key`, `createdAt`, `lastModifiedAt`.",
      operations: ["queryWithSortedParameters"],
    },
    {
      id: "expand",
      behaviour: "`expand` has no effect. The journal records it.",
      operations: ["queryWithSortedParameters", "getResourceById", "getResourceByKey"],
    },
    {
      id: "search",
      behaviour: "`searchResources` returns its fixture. A `fuzzyLevel` above the setting `maxFuzzyLevel` is 400.",
      operations: ["searchResources"],
    },
    {
      id: "exists",
      behaviour: "`checkResourceExists` returns 404 if the project has no resource. The response has no body.",
      operations: ["checkResourceExists"],
    },
  ],
  "other-operations": [
    {
      id: "complex-status",
      behaviour: "`runComplexOperation` returns 200. A scenario or `Prefer` selects 201 or 203.",
      operations: ["runComplexOperation"],
    },
    {
      id: "images",
      behaviour:
        "`uploadImage` accepts JPEG, PNG and GIF. Another `Content-Type` is 415, another kind of bytes is 400, " +
        "and an image above the setting `maxImageBytes` is 413.",
      operations: ["uploadImage"],
    },
    {
      id: "namespace-actions",
      behaviour:
        "`writeNamespaceAction` returns its fixture and keeps the JSON body. `readNamespaceAction` returns the " +
        "kept body, or else its fixture.",
      operations: ["writeNamespaceAction", "readNamespaceAction"],
    },
  ],
  requests: [
    {
      id: "unknown-names",
      behaviour:
        "Unknown fields and query parameters are valid. The service keeps unknown fields; the journal records " +
        "unknown parameters.",
    },
    {
      id: "types",
      behaviour:
        "Types are strict: int32 range, date-times by RFC 3339, decimal and whole numbers, `true` and `false`. Only " +
        "parameters that the interface names as lists can be repeated. A JSON number that the server cannot return " +
        "unchanged (`1e400`, `9007199254740993`) is 400, also with `validation: off`.",
    },
    {
      id: "json-parameters",
      behaviour:
        "The query parameters `objectParameter` and `unionParameter` contain JSON. `unionParameter` can also be " +
        "a date-time without quotes.",
      operations: ["queryResources", "checkResourceExists"],
    },
    {
      id: "encodings",
      behaviour: "A `Content-Encoding` other than `identity` is 415.",
    },
    {
      id: "depth",
      behaviour: "JSON has at most 200 levels. Deeper JSON is 400 `InvalidInput`.",
    },
    {
      id: "head",
      behaviour: "HEAD is only for `checkResourceExists`. On other paths, it is 405.",
    },
    {
      id: "project-keys",
      behaviour: "A project key has at most 256 characters. `oauth` and keys that start with `__` are reserved.",
    },
    {
      id: "project-creation",
      behaviour:
        "The first request to an operation creates the project, as do a change through the control API and a wait " +
        "for requests.",
      untried: "It concerns the control API of the mock.",
    },
    {
      id: "hosts",
      behaviour:
        "The server accepts any `Host`. The first server of an OpenAPI document is the address that the client " +
        "called.",
    },
    {
      id: "root",
      behaviour: "`GET /` redirects a browser to the dashboard. It is 404 `EndpointNotFound` for other clients.",
      untried: "It concerns the dashboard of the mock.",
    },
    {
      id: "errors",
      behaviour:
        'An error is `{ "statusCode", "message", "errors": [{ "code", "message", … }] }`. 409 has `currentVersion`, ' +
        "an invalid value has `field`, 405 has the header `Allow`, and 401 and 403 have `error`, " +
        "`error_description` and `WWW-Authenticate` (RFC 6750).",
    },
  ],
  tokens: [
    {
      id: "token-endpoint",
      behaviour:
        "`POST /oauth/token` with `grant_type=client_credentials` issues a token. The client sends its " +
        "credentials with HTTP Basic or in the form. `/oauth/introspect` (RFC 7662) and `/oauth/token/revoke` " +
        "(RFC 7009) exist too.",
    },
    {
      id: "clients",
      behaviour: "Any client is accepted, unless `--client` configures some.",
      untried: "A client cannot know which clients the service has.",
    },
    {
      id: "token-scopes",
      behaviour: "A token without `scope` grants every scope. The token endpoint then returns no `scope`.",
    },
    {
      id: "token-expiry",
      behaviour:
        "A token expires by the clock of the project that receives it, so moving this clock can expire the token.",
      untried: "It concerns the clocks of the mock.",
    },
    {
      id: "project-tokens",
      behaviour:
        "A project holds the tokens issued through its control API, and tokens whose scopes all name this " +
        "project. `DELETE …/tokens/{token}` revokes them, and a reset forgets them. For other tokens, this call " +
        "returns 404.",
      untried: "It concerns the control API of the mock.",
    },
    {
      id: "revocation",
      behaviour: "A revoked token stays revoked, also after a reset of the project.",
      untried: "The real service may have no endpoint that revokes tokens, and a revoked token would end the run.",
    },
    {
      id: "any-token",
      behaviour:
        "`runComplexOperation`, `updateResource` and the custom actions need a valid token of the project, and " +
        "no scope.",
      operations: ["runComplexOperation", "updateResource", "writeNamespaceAction", "readNamespaceAction", "getCart"],
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
