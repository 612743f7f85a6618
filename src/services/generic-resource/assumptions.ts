import {
  type Assumption,
  DEFAULT_PAGE_RESULTS,
  MAX_ID,
  MAX_JSON_DEPTH,
  MAX_PAGE_OFFSET,
  MAX_PAGE_RESULTS,
  MAX_SORT_KEYS,
} from "../../contract/index.ts";

/** What the mock assumes where the interface leaves a question open. */
interface Row extends Omit<Assumption, "id"> {
  /** Why no check of `resource-mock compare` tries it; undefined if one does. */
  readonly untried?: string;
}

const writesOfDrafts = ["createResource", "overwriteResource", "createOrOverwriteResource"];

/** The assumptions by their ids, in the sections of docs/behaviour.md that list them. Checks refer to the ids. */
export const assumptions = {
  resources: {
    location: {
      behaviour:
        "A request that creates or overwrites a resource returns 201 with `Location: /{projectKey}/resource/{id}`. " +
        "The response body has the interface's type ObjectTestType, which has no id.",
      operations: writesOfDrafts,
    },
    "encoded-key": {
      behaviour:
        "In a path, `key%3Dabc` and `key=abc` both select the resource with the key `abc`. Only the control API can " +
        "read a resource whose id starts with `key=`.",
      operations: ["getResourceByKey"],
    },
    "unknown-ids": {
      behaviour:
        "With `unknownIds: fixture`, the first request with an unknown id or key creates the resource from the fixture, " +
        "at version 1. With `unknownIds: not-found`, the server responds 404. " +
        `Deleted ids and keys, former keys of resources, and ids and keys of more than ${MAX_ID} characters always get ` +
        "404.",
      operations: ["getResourceById", "getResourceByKey", "updateResource", "deleteResource"],
    },
    "written-resource": {
      behaviour:
        "`createResource` always creates a resource. The request bodies of `overwriteResource` and " +
        "`createOrOverwriteResource` have no id: both operations overwrite the resource that one of these three " +
        "operations wrote last, and raise its version by 1. If no such resource exists, both operations create a " +
        "resource.",
      operations: writesOfDrafts,
    },
    "own-fields": {
      behaviour:
        "The service sets `id`, `key`, `version`, `createdAt`, `lastModifiedAt` and `createdBy` itself, and ignores " +
        "these fields in the body of a create or overwrite request.",
      operations: writesOfDrafts,
    },
    "required-fields": {
      behaviour:
        "The body of a create or overwrite request requires `objectTypeProperty`. The arrays in this object are " +
        "optional, and can contain any items of their type. The body of an update requires `version` and `actions`.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
    },
    "highest-version": {
      behaviour:
        "A resource at version 1,000,000,000,000,000 cannot change again: updates and overwrites get 400 " +
        "`InvalidInput`.",
      operations: ["updateResource", "overwriteResource", "createOrOverwriteResource"],
      untried: "A client would need that many updates.",
    },
    actions: {
      behaviour:
        "`updateResource` applies all actions of a request or none, and raises the version by 1. An empty list of " +
        "actions changes nothing. A request with an unknown action gets 400. The action `changeSomeProperty` " +
        "stores `someProperty`; if `someProperty` is absent, only the version rises.",
      operations: ["updateResource"],
    },
    "unvalidated-state": {
      behaviour:
        "With `validation: report` or `off`, the project also stores invalid values from clients. An import of the " +
        "state rejects invalid values.",
      operations: ["createResource", "overwriteResource", "createOrOverwriteResource", "updateResource"],
      untried: "It concerns settings and the control API of the mock.",
    },
  },
  queries: {
    "query-body": {
      behaviour:
        "By default, `queryResources` returns its fixture, an ArrayTestType. With the setting `collection: paged` or " +
        "the scenario `paged-query`, `queryResources` returns a page of the project's resources, and accepts the " +
        "parameters of `queryWithSortedParameters`.",
      operations: ["queryResources"],
    },
    paging: {
      behaviour:
        "A page is `{ limit, offset, count, total, results }`, where `results` are resources. The parameter " +
        `\`limit\` is ${DEFAULT_PAGE_RESULTS} by default and at most ${MAX_PAGE_RESULTS}; \`offset\` is 0 by default and ` +
        `at most ${MAX_PAGE_OFFSET.toLocaleString("en")}. With \`withTotal=false\`, ` +
        "the page lacks `total`.",
      operations: ["queryResources", "queryWithSortedParameters"],
    },
    sort: {
      behaviour:
        "`sort=path` sorts resources by the field at this path. `sort=path desc` sorts in descending order. A " +
        `request can repeat \`sort\`, with at most ${MAX_SORT_KEYS} different values. ` +
        "Resources that lack the field come last.",
      operations: ["queryWithSortedParameters"],
    },
    where: {
      behaviour:
        "A predicate can have: comparisons (`= != <> < > <= >=`, `in (…)`, `not in (…)`); tests of arrays (`contains " +
        "any (…)`, `contains all (…)`, `is [not] empty`); `is [not] defined`; `and`, `or`, `not(…)`; nested fields, " +
        "such as `objectTypeProperty(arrayOfIntExample contains any (1, 2))`. A variable `:name` has the value of " +
        "the query parameter `var.name`. If a request repeats `where`, a resource must match all predicates. `!=` " +
        "and `not in` also match resources that lack the field. An invalid predicate gets 400, and the error names " +
        "the column.",
      operations: ["queryWithSortedParameters"],
    },
    "query-fields": {
      behaviour:
        "`where` and `sort` can use the fields of ObjectTestType, and `id`, `key`, `createdAt`, `lastModifiedAt`.",
      operations: ["queryWithSortedParameters"],
    },
    expand: {
      behaviour: "The query parameter `expand` has no effect.",
      operations: ["queryWithSortedParameters", "getResourceById", "getResourceByKey"],
    },
    search: {
      behaviour: "`searchResources` returns its fixture. A request with a `fuzzyLevel` above 10 gets 400.",
      operations: ["searchResources"],
    },
    exists: {
      behaviour: "`checkResourceExists` returns 200 if the project has resources, else 404. The response has no body.",
      operations: ["checkResourceExists"],
    },
  },
  "other-operations": {
    "complex-status": {
      behaviour:
        "By default, `runComplexOperation` returns 200. A scenario or the request header `Prefer` can select 201 or " +
        "203.",
      operations: ["runComplexOperation"],
    },
    images: {
      behaviour:
        "`uploadImage` accepts JPEG, PNG and GIF. A request with another `Content-Type` gets 415, an image whose " +
        "type differs from the `Content-Type` gets 400, and an image larger than the setting `maxImageBytes` gets " +
        "413.",
      operations: ["uploadImage"],
    },
    "namespace-actions": {
      behaviour:
        "`writeNamespaceAction` stores the JSON body of the request, and returns the fixture of the operation. " +
        "`readNamespaceAction` returns the stored body, or else the fixture of the operation.",
      operations: ["writeNamespaceAction", "readNamespaceAction"],
    },
  },
  requests: {
    "unknown-names": {
      behaviour:
        "Unknown fields and query parameters are valid. The service stores and returns unknown fields; the journal " +
        "records unknown query parameters.",
    },
    types: {
      behaviour:
        "The service checks types strictly: integers are in the int32 range, date-times follow RFC 3339, numbers are " +
        "decimal, and booleans are `true` or `false`. A request can repeat only parameters for lists. A JSON number " +
        "that overflows or would become another integer (`1e400`, `9007199254740993`) always gets 400.",
    },
    "json-parameters": {
      behaviour:
        "The query parameters `objectParameter` and `unionParameter` contain JSON. `unionParameter` can also be a " +
        "date-time without quotes.",
      operations: ["queryResources", "checkResourceExists"],
    },
    encodings: { behaviour: "A request body with a `Content-Encoding` other than `identity` gets 415." },
    depth: { behaviour: `JSON with more than ${MAX_JSON_DEPTH} levels gets 400 \`InvalidInput\`.` },
    head: { behaviour: "HEAD requests get 405, except for `checkResourceExists`." },
    "project-keys": {
      behaviour:
        `A project key has at most ${MAX_ID} characters. ` +
        "The key `oauth` and keys that start with `__` are reserved.",
    },
    "project-creation": {
      behaviour:
        "The first request to an operation, the first change through the control API, or the first call that waits " +
        "for requests creates a project.",
      untried: "It concerns the control API of the mock.",
    },
    hosts: {
      behaviour:
        "The server accepts each valid header `Host`. A request whose path has a segment `.` or `..` gets 400.",
    },
    root: {
      behaviour: "`GET /` redirects browsers to the dashboard. Other clients get 404 `EndpointNotFound`.",
      untried: "It concerns the dashboard of the mock.",
    },
    errors: {
      behaviour:
        'The body of an error is `{ "statusCode", "message", "errors": [{ "code", "message", … }] }`. Errors 401 and 403 ' +
        "also have the members `error` and `error_description`, and the header `WWW-Authenticate` (RFC 6750).",
    },
  },
  tokens: {
    "token-endpoint": {
      behaviour:
        "`POST /oauth/token` with `grant_type=client_credentials` issues a token. The client sends its credentials " +
        "with HTTP Basic or in the form. The server also has `/oauth/token/revoke` (RFC 7009).",
    },
    clients: {
      behaviour: "By default, the token endpoint accepts any client; with `--client`, only the configured clients.",
      untried: "A client cannot know which clients the service has.",
    },
    "token-scopes": {
      behaviour: "If a token request has no `scope`, the token has every scope, and the response has no `scope`.",
    },
    "token-expiry": {
      behaviour: "The clock of the requested project decides whether a token has expired.",
      untried: "It concerns the clocks of the mock.",
    },
    "project-tokens": {
      behaviour:
        "The scopes of a token name one project: the project of the token. A token that has no scopes belongs to the " +
        "project whose control API issued the token, or to no project. `DELETE " +
        "/__admin/projects/{projectKey}/tokens/{token}` revokes a token of the project. A reset deletes the " +
        "project's tokens.",
      untried: "It concerns the control API of the mock.",
    },
    revocation: {
      behaviour: "A revoked token stays revoked, also after a reset of the project.",
      untried: "The real service may have no endpoint that revokes tokens, and a revoked token would end the run.",
    },
    "any-token": {
      behaviour:
        "`runComplexOperation`, `updateResource`, `getCart` and the namespace actions need no particular scope: any " +
        "valid token of the project is enough.",
      operations: ["runComplexOperation", "updateResource", "writeNamespaceAction", "readNamespaceAction", "getCart"],
    },
  },
} as const satisfies Record<string, Record<string, Row>>;

type Sections = typeof assumptions;

/** The ids of the assumptions. Reports and checks refer to them. */
export type AssumptionId = { readonly [Name in keyof Sections]: keyof Sections[Name] }[keyof Sections];

/** Returns the assumptions with their ids, or only those about an operation. */
export function assumptionsOf(operationId?: string): readonly (Row & { readonly id: AssumptionId })[] {
  return Object.values(assumptions)
    .flatMap((section) => Object.entries<Row>(section))
    .map(([id, assumption]) => ({ id: id as AssumptionId, ...assumption }))
    .filter(({ operations }) => operationId === undefined || operations?.includes(operationId));
}
