import type { OperationId } from "../../../src/contract/known-service.ts";
import type { Answer, Call, Deviate, Next } from "./service.ts";

/** A deviation of a service from the mock. */
export interface Deviation {
  readonly deviate: Deviate;
  /** The operations whose checks run; by default those of the reported checks. An empty list runs all checks. */
  readonly only?: readonly OperationId[];
  /** The checks that report it. All other checks pass or are skipped. */
  readonly reported: readonly string[];
}

/** Deviations by what the service does. */
export type Deviations = Readonly<Record<string, Deviation>>;

const query = "queryWithSortedParameters";

type Members = Record<string, unknown>;

/** Deviates in some operations only. */
function at(operations: OperationId | readonly OperationId[], deviate: Deviate): Deviate {
  return (call, next) => (call.operation && operations.includes(call.operation) ? deviate(call, next) : next());
}

/** Deviations of one operation, each with the claims about this operation that report it. */
function of(
  operation: OperationId,
  rows: Readonly<Record<string, readonly [deviate: Deviate, ...claims: string[]]>>,
): Deviations {
  const entries = Object.entries(rows).map(([name, [deviate, ...claims]]): [string, Deviation] => {
    return [name, { deviate: at(operation, deviate), reported: claims.map((claim) => `${operation}: ${claim}`) }];
  });
  return Object.fromEntries(entries);
}

/** Deviates in the responses with this status. */
function when(status: number, change: (answer: Answer, call: Call, next: Next) => Answer | Promise<Answer>): Deviate {
  return async (call, next) => {
    const answer = await next();
    return answer.status === status ? change(answer, call, next) : answer;
  };
}

function membersOf({ body }: { readonly body: Buffer }): Members {
  try {
    return JSON.parse(body.toString()) as Members;
  } catch {
    return {};
  }
}

function bytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Changes the body of the responses with this status. */
function body(status: number, change: (members: Members, call: Call) => unknown): Deviate {
  return when(status, (answer, call) => ({ ...answer, body: bytes(change(membersOf(answer), call)) }));
}

/** Changes the members of a request body that is an object. */
function requested(change: (members: Members) => Members): Deviate {
  return (call, next) => {
    const members = membersOf(call);
    return Object.keys(members).length > 0 ? next({ body: bytes(change(members)) }) : next();
  };
}

/** Leaves out query parameters of the requests. */
function ignores(name: string, isIgnored = (_value: string): boolean => true): Deviate {
  return (call, next) => {
    const kept = [...call.query].filter(([each, value]) => each !== name || !isIgnored(value));
    return next({ query: new URLSearchParams(kept) });
  };
}

/** Returns another status, with an unchanged body. */
function status(from: number, to: number): Deviate {
  return when(from, (answer) => ({ ...answer, status: to }));
}

function without(name: string): (members: Members) => Members {
  return ({ [name]: _removed, ...rest }) => rest;
}

/** Leaves out a header of the responses with this status. */
function withoutHeader(from: number, name: string): Deviate {
  return when(from, (answer) => {
    const { [name]: _removed, ...headers } = answer.headers;
    return { ...answer, headers };
  });
}

const json = { "content-type": "application/json" };

/** Accepts what the mock rejects with this status: returns the response to another request instead. */
function accepts(rejected: number, valid: Partial<Call>, isAccepted = (_call: Call): boolean => true): Deviate {
  return when(rejected, (answer, call, next) => (isAccepted(call) ? next(valid) : answer));
}

const someDraft = { objectTypeProperty: { arrayOfStringExample: ["accepted"] } };
const acceptedDraft = { headers: json, body: bytes(someDraft) };

const writes = ["createResource", "overwriteResource", "createOrOverwriteResource"] as const;

/** Shows versions that differ from those of the mock by `shift` for each update, and takes such versions in updates. */
function versionsShifted(shift: number): Deviate {
  const updates = new Map<string, number>();
  const shifted = (answer: Answer, by: number): Answer => {
    const members = membersOf(answer);
    const isResource = answer.status === 200 && typeof members.version === "number";
    return isResource ? { ...answer, body: bytes({ ...members, version: Number(members.version) + by }) } : answer;
  };
  return at(["getResourceById", "updateResource", "deleteResource"], async (call, next) => {
    const past = (updates.get(call.path) ?? 0) * shift;
    if (call.operation !== "updateResource") return shifted(await next(), past);
    const members = membersOf(call);
    const isUpdate = typeof members.version === "number" && Array.isArray(members.actions);
    if (!isUpdate) return next();
    const answer = await next({ body: bytes({ ...members, version: Number(members.version) - past }) });
    if (answer.status === 409) return inError(answer, (error) => ({ ...error, currentVersion: shiftBy(error, past) }));
    if (answer.status !== 200) return answer;
    if ((members.actions as unknown[]).length > 0) updates.set(call.path, (updates.get(call.path) ?? 0) + 1);
    return shifted(answer, (updates.get(call.path) ?? 0) * shift);
  });
}

function shiftBy({ currentVersion }: Members, by: number): number {
  return Number(currentVersion) + by;
}

/** Changes the first item of `errors` in an error. */
function inError(answer: Answer, change: (error: Members) => Members): Answer {
  const members = membersOf(answer);
  const [first = {}] = (members.errors ?? []) as Members[];
  return { ...answer, body: bytes({ ...members, errors: [change(first)] }) };
}

/** Sends an update with the actions. If its version is stale, repeats it with the current one. */
async function updateAnyway(next: Next, call: Call, actions: unknown): Promise<Answer> {
  const { version } = membersOf(call);
  const answer = await next({ body: bytes({ version, actions }) });
  if (answer.status !== 409) return answer;
  const [error] = membersOf(answer).errors as Members[];
  return next({ body: bytes({ version: error?.currentVersion, actions }) });
}

function actionsOf(call: Call): Members[] {
  const { actions } = membersOf(call);
  return Array.isArray(actions) ? actions : [];
}

const isKnown = ({ action }: Members) => action === "doSomeThing" || action === "changeSomeProperty";

/** Deviations of updates. */
const updates: Deviations = {
  "an update does not raise the version": {
    deviate: versionsShifted(-1),
    reported: ["updateResource: raises the version by 1"],
  },
  ...of("updateResource", {
    "each action raises the version": [
      async (call, next) => {
        const [first, ...others] = actionsOf(call);
        if (others.length === 0 || !actionsOf(call).every(isKnown)) return next();
        let answer = await next({ body: bytes({ version: membersOf(call).version, actions: [first] }) });
        if (answer.status !== 200) return answer;
        for (const action of others) answer = await updateAnyway(next, call, [action]);
        return answer;
      },
      "several actions raise the version by 1",
    ],
    "an update without actions raises the version": [
      (call, next) => {
        const members = membersOf(call);
        const isEmpty = Array.isArray(members.actions) && members.actions.length === 0;
        return isEmpty ? next({ body: bytes({ ...members, actions: [{ action: "doSomeThing" }] }) }) : next();
      },
      "an empty list of actions changes nothing",
    ],
    "a stale version is accepted": [
      (call, next) => {
        const { version, actions } = membersOf(call);
        return typeof version === "number" && Array.isArray(actions) ? updateAnyway(next, call, actions) : next();
      },
      "a stale version is 409",
    ],
    "409 does not name the current version": [
      when(409, (answer) => inError(answer, without("currentVersion"))),
      "409 names the current version",
    ],
    "unknown actions are ignored": [
      (call, next) => {
        const members = membersOf(call);
        const known = actionsOf(call).filter((action) => isKnown(action) || typeof action.action !== "string");
        return Array.isArray(members.actions) ? next({ body: bytes({ ...members, actions: known }) }) : next();
      },
      "an unknown action is 400",
    ],
    "the actions before an unknown one are applied": [
      async (call, next) => {
        const answer = await next();
        const known = actionsOf(call).filter(isKnown);
        if (answer.status === 400 && known.length > 0 && known.length < actionsOf(call).length) {
          await updateAnyway(next, call, known);
        }
        return answer;
      },
      "applies all actions or none",
    ],
    "changeSomeProperty has no effect": [body(200, without("someProperty")), "changeSomeProperty stores someProperty"],
    "the actions apply in reverse order": [
      requested((members) =>
        Array.isArray(members.actions) ? { ...members, actions: members.actions.toReversed() } : members,
      ),
      "actions apply in the given order",
    ],
  }),
  "an update changes createdAt": {
    deviate: at(query, (call, next) => {
      // The updated resource of the check has the higher version.
      const changed = [...call.query].map(([name, value]) => [name, value.replace(/^createdAt/, "version")]);
      const isOnlySort = call.query.getAll("sort").length === 1;
      return next(isOnlySort ? { query: new URLSearchParams(changed as [string, string][]) } : {});
    }),
    reported: ["updateResource: createdAt stays"],
  },
  ...of("updateResource", {
    "an update removes the content": [
      body(200, (members) => ({ ...members, objectTypeProperty: {} })),
      "keeps the other content",
    ],
    "an update needs no version": [
      (call, next) => {
        const { version, actions } = membersOf(call);
        return version === undefined && Array.isArray(actions)
          ? updateAnyway(next, { ...call, body: bytes({ version: 1 }) }, actions)
          : next();
      },
      "a body without version is 400",
    ],
  }),
};

function noContent({ headers: { "content-type": _type, ...headers } }: Answer): Answer {
  return { status: 204, headers, body: Buffer.alloc(0) };
}

function inLocation(change: (location: string) => string): Deviate {
  return when(201, (answer) => ({
    ...answer,
    headers: { ...answer.headers, location: change(String(answer.headers.location)) },
  }));
}

/** Deviations of new resources. */
const creations: Deviations = {
  ...of("createResource", {
    "createResource has no Location": [withoutHeader(201, "location"), "Location is the path of the new resource"],
    "Location names another resource": [inLocation((location) => `${location}-other`), "the new resource can be read"],
    "createResource returns 200": [status(201, 200), "the status of success is 201"],
    "the response to createResource has another content": [
      body(201, (members) => ({ ...members, objectTypeProperty: {} })),
      "returns the content that was sent",
    ],
  }),
  "the same draft creates one resource": {
    deviate: (() => {
      const known = new Map<string, Promise<Answer>>();
      return at("createResource", (call, next) => {
        const text = call.body.toString();
        if (!text.includes("resource-mock-compare")) return next();
        const answer = known.get(text) ?? next();
        known.set(text, answer);
        return answer;
      });
    })(),
    reported: ["createResource: creates another resource each time"],
  },
  ...of("createResource", {
    "a new resource has the version of the draft": [
      async (call, next) => {
        const { version } = membersOf(call);
        return typeof version === "number" ? body(201, (members) => ({ ...members, version }))(call, next) : next();
      },
      "ignores the version, id and times in a draft",
    ],
    "a new resource has the id of the draft": [
      (call, next) => {
        const { id } = membersOf(call);
        return typeof id === "string" ? inLocation(() => `/demo/resource/${id}`)(call, next) : next();
      },
      "ignores the version, id and times in a draft",
    ],
    "unknown fields of a draft are dropped": [
      body(201, without("resourceMockCompare")),
      "keeps unknown fields of a draft",
    ],
    "createResource accepts malformed JSON": [
      accepts(400, acceptedDraft, isMalformed),
      "malformed JSON is 400",
      "an empty body is 400",
    ],
    "createResource accepts a member of the wrong type": [
      accepts(400, acceptedDraft, (call) => call.body.includes('arrayOfIntExample":["1"]')),
      'arrayOfIntExample with ["1"] is 400',
    ],
    "createResource needs no objectTypeProperty": [
      accepts(400, acceptedDraft, (call) => call.body.toString() === "{}"),
      "a body without objectTypeProperty is 400",
    ],
    "createResource accepts any content type": [
      (call, next) => next({ headers: { ...call.headers, ...json } }),
      "a body that is not application/json is 415",
    ],
  }),
};

function isMalformed({ body: text }: Call): boolean {
  try {
    JSON.parse(text.toString());
    return false;
  } catch {
    return true;
  }
}

/** Deviations of PUT and PATCH. */
const overwrites: Deviations = {
  ...of("overwriteResource", {
    "PATCH has no Location": [withoutHeader(201, "location"), "Location is the path of the overwritten resource"],
  }),
  ...of("createOrOverwriteResource", {
    "PUT has no Location": [withoutHeader(201, "location"), "Location is the path of the overwritten resource"],
  }),
  ...of("createOrOverwriteResource", {
    "PUT creates another resource": [
      (_call, next) => next({ method: "POST" }),
      "Location is the path of the overwritten resource",
      "raises the version of the last written resource by 1",
    ],
  }),
  "PATCH keeps the members that the draft does not have": {
    deviate: (() => {
      let last: Members = {};
      return at(writes, (call, next) => {
        const draft = membersOf(call);
        const content = draft.objectTypeProperty;
        if (typeof content !== "object" || content === null) return next();
        last = call.operation === "overwriteResource" ? { ...last, ...content } : { ...content };
        return call.operation === "overwriteResource"
          ? next({ body: bytes({ ...draft, objectTypeProperty: last }) })
          : next();
      });
    })(),
    reported: ["overwriteResource: replaces the whole content"],
  },
  ...of("createOrOverwriteResource", {
    "PUT after a deletion is 404": [
      async (_call, next) => {
        const answer = await next();
        return answer.status === 201 && membersOf(answer).version === 1 ? notFound : answer;
      },
      "creates a resource if the last written one was deleted",
    ],
  }),
};

const notFound: Answer = {
  status: 404,
  headers: json,
  body: bytes({ statusCode: 404, message: "Not found", errors: [{ code: "ResourceNotFound", message: "Not found" }] }),
};

/** Deviations of reads. */
const reads: Deviations = {
  ...of("getResourceById", {
    "an unknown id is 200 with null": [
      when(404, () => ({ status: 200, headers: json, body: bytes(null) })),
      "a deleted resource is 404",
      "an id of more than 256 characters is 404",
    ],
  }),
  "a read returns an old state": {
    deviate: (() => {
      const known = new Map<string, Answer>();
      return at("getResourceById", async (call, next) => {
        const answer = await next();
        if (answer.status !== 200) return answer;
        known.set(call.path, known.get(call.path) ?? answer);
        return known.get(call.path) ?? answer;
      });
    })(),
    reported: ["getResourceById: returns the new version after an update"],
  },
  ...of("getResourceById", {
    "a read raises the version": [
      async (call, next) => {
        const answer = await next();
        const { version } = membersOf(answer);
        const update = { version, actions: [{ action: "doSomeThing" }] };
        if (answer.status === 200)
          await next({ method: "POST", headers: { ...call.headers, ...json }, body: bytes(update) });
        return answer;
      },
      "expand has no effect",
    ],
  }),
  "key%3D is not understood": {
    deviate: (call, next) => (call.path.includes("key%3D") ? notFound : next()),
    reported: ["getResourceByKey: the = before the key can be encoded"],
  },
  ...of("getResourceById", {
    "a read has another content": [
      body(200, (members) => ({ ...members, objectTypeProperty: {} })),
      "shows the content that was sent",
    ],
    "a member has the wrong type": [
      body(200, (members) => ({
        ...members,
        objectTypeProperty: { ...(members.objectTypeProperty as Members), arrayOfFloatExample: "0.25" },
      })),
      "the body is valid for ObjectTestType",
    ],
    "expand changes the response": [
      async (call, next) =>
        call.query.has("expand") ? body(200, (members) => ({ ...members, expanded: {} }))(call, next) : next(),
      "expand has no effect",
    ],
  }),
};

/** Deviations of deletions. */
const deletions: Deviations = {
  "a deletion returns no version": {
    deviate: at("deleteResource", body(200, without("version"))),
    only: [],
    reported: ["deleteResource: the body is valid for ObjectTestType"],
  },
  "a deletion has no effect": {
    deviate: at("deleteResource", async (call, next) => {
      const answer = await next({ path: `${call.path}-other` });
      return answer.status === 401 || answer.status === 403 ? answer : next({ method: "GET" });
    }),
    reported: [
      "getResourceById: a deleted resource is 404",
      "updateResource: a deleted resource is 404",
      "deleteResource: a deleted resource is 404",
    ],
  },
  ...of("deleteResource", {
    "a deletion raises the version": [
      body(200, (members) => ({ ...members, version: Number(members.version) + 1 })),
      "returns the deleted resource",
    ],
  }),
};

/** Deviations of queries. */
const queries: Deviations = {
  ...of(query, {
    "the page has no total": [body(200, without("total")), "the page has total"],
    "the count is wrong": [
      body(200, (members) => ({ ...members, count: Number(members.count) + 1 })),
      "count is the number of results",
    ],
    "the total is the number of results on the page": [
      body(200, (members) => ("total" in members ? { ...members, total: members.count } : members)),
      "total counts all matches, not only those of the page",
    ],
    "withTotal is ignored": [ignores("withTotal", (value) => value === "false"), "withTotal=false leaves out total"],
    "sort is ignored": [ignores("sort"), "sort orders the results"],
    "where is ignored": [ignores("where"), "where selects the matching resources"],
    "limit is ignored": [ignores("limit"), "limit=1 returns at most one resource"],
    "offset is ignored": [ignores("offset"), "offset skips results"],
    "a limit of more than 500 is accepted": [
      (call, next) => {
        const limit = Number(call.query.get("limit"));
        const changed = new URLSearchParams(call.query);
        if (limit > 500) changed.set("limit", "500");
        return next({ query: changed });
      },
      "limit=501 is 400",
    ],
    "an invalid predicate selects nothing": [
      accepts(400, { query: new URLSearchParams([["where", "version = 0"]]) }, (call) => call.query.has("where")),
      "an incomplete predicate is 400",
      "a predicate with an unknown field is 400",
      "a predicate with a value of another type is 400",
    ],
    "sort by an unknown field is accepted": [
      ignores("sort", (value) => value === "resourceMockCompare"),
      "sort by an unknown field is 400",
    ],
    "the limit in the page is text": [
      body(200, (members) => ({ ...members, limit: String(members.limit) })),
      "the body is valid for PagedQueryResult",
    ],
    "the default limit is 10": [
      (call, next) => {
        const changed = new URLSearchParams(call.query);
        if (!changed.has("limit")) changed.set("limit", "10");
        return next({ query: changed });
      },
      "the default limit is 20 and the default offset is 0",
    ],
  }),
  ...of("queryResources", {
    "a decimal parameter accepts text": [
      ignores("floatParameter", (value) => value === "abc"),
      "floatParameter=abc is 400",
    ],
    "a repeatable parameter can be passed once only": [
      (call, next) =>
        call.query.getAll("arrayOfString").length > 1
          ? next({ query: new URLSearchParams({ floatParameter: "abc" }) })
          : next(),
      "accepts repeated values of arrayOfString",
    ],
  }),
};

/** Deviations of tokens and scopes. */
const tokens = (full: () => string): Deviations => {
  const asAnyone: Deviate = (call, next) => next({ headers: { ...call.headers, authorization: full() } });
  const ids = [...scoped, ...unscoped];
  return {
    "no operation needs a token": {
      deviate: (call, next) => (call.headers.authorization ? next() : asAnyone(call, next)),
      reported: ids.map((id) => `${id}: a missing token is 401`),
    },
    "every token is accepted": {
      deviate: when(401, (answer, call, next) =>
        /^Bearer \S/.test(call.headers.authorization ?? "") ? asAnyone(call, next) : answer,
      ),
      reported: ids.map((id) => `${id}: an unknown token is 401`),
    },
    "scopes are not enforced": {
      deviate: when(403, (_answer, call, next) => asAnyone(call, next)),
      reported: scoped.map((id) => `${id}: a token without its scopes is 403`),
    },
    "the project of a scope does not matter": {
      deviate: when(403, (answer, call, next) =>
        JSON.stringify(membersOf(answer)).includes(":other-") ? asAnyone(call, next) : answer,
      ),
      // The error of HEAD does not show the project.
      reported: scoped
        .filter((id) => id !== "checkResourceExists")
        .map((id) => `${id}: a token of another project is 403`),
    },
    "401 has no challenge": {
      deviate: withoutHeader(401, "www-authenticate"),
      reported: ["queryResources: 401 has the challenge of RFC 6750"],
    },
  };
};

const scoped: readonly OperationId[] = [
  "queryResources",
  "getResourceById",
  "getResourceByKey",
  "searchResources",
  "checkResourceExists",
  "createResource",
  "overwriteResource",
  "createOrOverwriteResource",
  "deleteResource",
  "queryWithSortedParameters",
  "uploadImage",
];

const unscoped: readonly OperationId[] = [
  "runComplexOperation",
  "updateResource",
  "writeNamespaceAction",
  "readNamespaceAction",
  "getCart",
];

/** Changes every error body. */
function errorBodies(change: (members: Members) => unknown): Deviate {
  return async (call, next) => {
    const answer = await next();
    return answer.status < 400 || call.method === "HEAD"
      ? answer
      : { ...answer, body: bytes(change(membersOf(answer))) };
  };
}

/** Deviations of errors. */
const errors: Deviations = {
  ...Object.fromEntries(
    ["statusCode", "message", "errors"].map((name): [string, Deviation] => [
      `errors have no ${name}`,
      {
        deviate: errorBodies(without(name)),
        only: ["getResourceById"],
        reported: ["every operation: the body of an error has statusCode, message and errors"],
      },
    ]),
  ),
  "409 has no errors": {
    deviate: body(409, without("errors")),
    only: ["updateResource"],
    reported: [
      "updateResource: 409 names the current version",
      "every operation: the body of an error has statusCode, message and errors",
    ],
  },
  "the error of a predicate has no column": {
    deviate: at(
      query,
      when(400, (answer) => inError(answer, without("column"))),
    ),
    reported: [`${query}: the error of a predicate names the column`],
  },
  "errors have another shape": {
    deviate: errorBodies(({ message }) => ({ error: { text: message } })),
    only: ["getResourceById"],
    reported: ["every operation: the body of an error has statusCode, message and errors"],
  },
  "statusCode is another number": {
    deviate: errorBodies((members) => ({ ...members, statusCode: 500 })),
    only: [],
    reported: ["every operation: statusCode in the body is the status"],
  },
  "an unsupported method is 404": {
    deviate: async (call, next) => {
      const answer = await next();
      return answer.status === 405
        ? { ...notFound, body: call.method === "HEAD" ? Buffer.alloc(0) : notFound.body }
        : answer;
    },
    only: [],
    reported: ["every operation: an unsupported method is 405", "every operation: HEAD on another path is 405"],
  },
  "405 has no Allow": {
    deviate: withoutHeader(405, "allow"),
    only: [],
    reported: ["every operation: 405 has the header Allow"],
  },
  "the code of 409 is another one": {
    deviate: at(
      "updateResource",
      when(409, (answer) => inError(answer, (error) => ({ ...error, code: "Conflict" }))),
    ),
    only: [],
    reported: [
      "every operation: the code of a stale version is ConcurrentModification",
      "every operation: the body of an error has statusCode, message and errors",
    ],
  },
  "errors are problem documents": {
    deviate: async (_call, next) => {
      const answer = await next();
      return answer.status < 400
        ? answer
        : { ...answer, headers: { ...answer.headers, "content-type": "application/problem+json" } };
    },
    only: ["getResourceById"],
    reported: ["every operation: the body of an error has statusCode, message and errors"],
  },
};

/** Deviations of the transport. */
const transports: Deviations = {
  "a response is cut off": {
    deviate: at(
      "getCart",
      when(200, (answer) => ({
        ...answer,
        send: (_response, socket) =>
          socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"),
      })),
    ),
    only: ["getCart"],
    reported: ["every operation: every response arrives whole"],
  },
  ...of("getCart", {
    "a redirect": [
      () => ({
        status: 302,
        headers: { location: "http://127.0.0.1:9/" },
        body: Buffer.alloc(0),
      }),
      "a valid request succeeds",
    ],
  }),
};

/** Deviations of images, the complex operation and the custom actions. */
const others: Deviations = {
  ...of("uploadImage", {
    "GIF images are rejected": [
      (call, next) =>
        next(
          call.headers["content-type"] === "image/gif"
            ? { headers: { ...call.headers, "content-type": "image/webp" } }
            : {},
        ),
      "accepts a GIF image",
    ],
    "the first bytes of an image do not matter": [
      when(400, (answer, call, next) =>
        call.headers["content-type"] === "image/gif"
          ? next({ headers: { ...call.headers, "content-type": "image/png" } })
          : answer,
      ),
      "an image whose first bytes are of another type is 400",
    ],
  }),
  ...of("readNamespaceAction", {
    "readNamespaceAction returns 204": [when(200, noContent), "the status of success is 200"],
  }),
  "writeNamespaceAction keeps no body": {
    deviate: at("writeNamespaceAction", (call, next) =>
      next(
        isMalformed(call) || call.headers["content-type"] !== "application/json"
          ? {}
          : { body: Buffer.alloc(0), headers: { authorization: call.headers.authorization } },
      ),
    ),
    reported: ["readNamespaceAction: returns the body that writeNamespaceAction received"],
  },
  ...of("getCart", {
    "the cart has no sum": [body(200, without("sum")), "the cart has its members"],
  }),
  ...of("runComplexOperation", {
    "runComplexOperation returns 203": [status(200, 203), "the status is 200"],
    "runComplexOperation returns 202": [status(200, 202), "the status of success is 200, 201 or 203"],
  }),
};

/** All deviations. `full` returns the Authorization header of a token with every scope. */
export function deviations(full: () => string): Deviations {
  return {
    ...updates,
    ...creations,
    ...overwrites,
    ...reads,
    ...deletions,
    ...queries,
    ...tokens(full),
    ...errors,
    ...transports,
    ...others,
  };
}
