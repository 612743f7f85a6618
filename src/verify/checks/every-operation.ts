import { object } from "../../contract/schema.ts";
import { isObject } from "../../text/json.ts";
import type { Check } from "../check.ts";
import { EVERY_OPERATION } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import { errorsIn, type Reply } from "../reply.ts";
import type { Observations } from "../requests.ts";
import type { Service } from "../service.ts";
import { successOf } from "./valid.ts";

const text = { type: "string" } as const;

/** The error body without its codes, which have checks of their own. */
const ErrorBody = object(["statusCode", "message", "errors"], {
  statusCode: { type: "integer" },
  message: text,
  errors: { type: "array", minItems: 1, items: object(["code", "message"], { code: text, message: text }) },
});

/** Checks of paths, methods, error bodies, and of all responses of a run. */
export const everyOperationChecks: readonly Check[] = [
  ...paths(),
  ...errorCodes(),
  observing(
    "every response arrives within the time limit",
    "Every response arrives within --timeout.",
    ({ late }) => late,
  ),
  observing(
    "every response arrives whole",
    "Every response is complete and valid HTTP, with at most 32 MiB.",
    ({ broken }) => broken,
  ),
  observing(
    "every body is JSON",
    "Every response with a body has the content type application/json, and is JSON.",
    ({ notJson }) => notJson,
  ),
  {
    name: "every operation: the body of an error has statusCode, message and errors",
    operation: EVERY_OPERATION,
    kind: "assumption",
    row: "errors",
    expected: "The body of each error is { statusCode, message, errors: [{ code, message }] }.",
    observes: true,
    async attempt(service) {
      const { errors } = service.observations;
      needs(errors.length > 0, "an error response");
      for (const { seen, json } of errors) {
        const [problem] = await service.problems(ErrorBody, json);
        claim(problem === undefined, `${seen}: ${problem}`);
      }
      return `${errors.length} errors with this body`;
    },
  },
  {
    name: "every operation: statusCode in the body is the status",
    operation: EVERY_OPERATION,
    kind: "assumption",
    row: "errors",
    expected: "The member statusCode of each error is the status of the response.",
    observes: true,
    async attempt({ observations }) {
      const numbers = observations.errors.flatMap(({ status, seen, json }) =>
        isObject(json) && typeof json.statusCode === "number" ? [{ status, seen, statusCode: json.statusCode }] : [],
      );
      needs(numbers.length > 0, "an error with the member statusCode");
      for (const { status, seen, statusCode } of numbers)
        claim(statusCode === status, `${seen}: statusCode ${statusCode}`);
      return `${numbers.length} errors with the status in the body`;
    },
  },
];

function observing(
  claimed: string,
  expected: string,
  select: (observations: Observations) => readonly string[],
): Check {
  return {
    name: `every operation: ${claimed}`,
    operation: EVERY_OPERATION,
    kind: "contract",
    expected,
    observes: true,
    async attempt({ observations }) {
      const violations = select(observations);
      const [first] = violations;
      const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
      claim(first === undefined, `${first}${more}`);
      needs(observations.responses > 0, "a response");
      return `${observations.responses} responses`;
    },
  };
}

interface PathCheck extends Pick<Check, "row" | "expected"> {
  readonly claim: string;
  readonly status: number;
  send(service: Service): Promise<Reply>;
}

/** Sends a request that no service can misunderstand: DELETE, for example, could delete a whole collection. */
function unsupportedMethod({ sendTo, project }: Service): Promise<Reply> {
  return sendTo("PATCH", `${project}/resource/namespace-action-with-example`);
}

function paths(): Check[] {
  const rows: readonly PathCheck[] = [
    {
      claim: "an unknown path is 404",
      row: "errors",
      expected: "A path that the interface does not define returns 404.",
      status: 404,
      send: ({ sendTo, project }) => sendTo("GET", `${project}/resource-mock-verify`),
    },
    {
      claim: "an unsupported method is 405",
      row: "errors",
      expected: "PATCH on the path of the cart returns 405.",
      status: 405,
      send: unsupportedMethod,
    },
    {
      claim: "HEAD on another path is 405",
      row: "head",
      expected: "Only the collection supports HEAD, so HEAD on the path of the cart returns 405.",
      status: 405,
      send: ({ sendTo, project }) => sendTo("HEAD", `${project}/resource/namespace-action-with-example`),
    },
    {
      claim: "a project key of more than 256 characters is 400",
      row: "project-keys",
      expected: "A project key has at most 256 characters.",
      status: 400,
      send: ({ sendTo, prefix }) => sendTo("GET", `/${prefix.padEnd(257, "x")}/resource`),
    },
    {
      claim: "a project key that starts with __ is 404",
      row: "project-keys",
      expected: "Project keys that start with __ are reserved.",
      status: 404,
      send: ({ sendTo }) => sendTo("GET", "/__resource-mock-verify/resource"),
    },
  ];
  return [
    ...rows.map(
      ({ claim: claimed, row, expected, status: expectedStatus, send }): Check => ({
        name: `every operation: ${claimed}`,
        operation: EVERY_OPERATION,
        kind: "assumption",
        row,
        expected,
        async attempt(service) {
          const { status, seen } = await send(service);
          claim(status === expectedStatus, seen);
          return seen;
        },
      }),
    ),
    {
      name: "every operation: 405 has the header Allow",
      operation: EVERY_OPERATION,
      kind: "assumption",
      row: "errors",
      expected: "A response with 405 lists the supported methods in the header Allow.",
      async attempt(service) {
        const { secrets } = service;
        const reply = await unsupportedMethod(service);
        needs(reply.status === 405, `405; ${reply.seen}`);
        const allow = reply.header("Allow") ?? "";
        claim(/\bGET\b/.test(allow), `Allow ${secrets.shown(allow)}`);
        return `Allow ${secrets.shown(allow)}`;
      },
    },
    {
      name: "every operation: every host name is served",
      operation: EVERY_OPERATION,
      kind: "assumption",
      row: "hosts",
      needs: [successOf("queryResources")],
      expected: "The service serves any Host, as the base address contains a region and a cloud provider.",
      async attempt({ send }) {
        const { isOk, seen } = await send("queryResources", { headers: { Host: "region.cloud.test" } });
        claim(isOk, seen);
        return seen;
      },
    },
  ];
}

interface CodeCheck {
  readonly code: string;
  readonly status: number;
  readonly of: string;
  readonly writes?: true;
  send(service: Service): Promise<Reply>;
  /** A further member that the first error must have. */
  readonly field?: string;
}

/** The codes of errors. A check is skipped if the status is another one, as the status has a check of its own. */
function errorCodes(): Check[] {
  const rows: readonly CodeCheck[] = [
    {
      code: "InvalidJsonInput",
      status: 400,
      of: "malformed JSON",
      writes: true,
      send: ({ send }) => send("createResource", { body: "{", type: "application/json" }),
    },
    {
      code: "InvalidField",
      status: 400,
      of: "an invalid query parameter",
      field: "floatParameter",
      send: ({ send }) => send("queryResources", { query: [["floatParameter", "abc"]] }),
    },
    {
      code: "InvalidField",
      status: 400,
      of: "an invalid member of a body",
      writes: true,
      field: "/objectTypeProperty",
      send: ({ send }) => send("createResource", { json: { objectTypeProperty: 1 } }),
    },
    {
      code: "UnsupportedMediaType",
      status: 415,
      of: "another content type",
      writes: true,
      send: ({ send, draft }) => send("createResource", { body: JSON.stringify(draft()), type: "text/plain" }),
    },
    {
      code: "ResourceNotFound",
      status: 404,
      of: "an unknown id",
      send: ({ send, newName }) => send("getResourceById", { path: { id: newName().padEnd(300, "x") } }),
    },
    {
      code: "EndpointNotFound",
      status: 404,
      of: "an unknown path",
      send: ({ sendTo, project }) => sendTo("GET", `${project}/resource-mock-verify`),
    },
    {
      code: "MethodNotAllowed",
      status: 405,
      of: "an unsupported method",
      send: unsupportedMethod,
    },
    {
      code: "ConcurrentModification",
      status: 409,
      of: "a stale version",
      writes: true,
      async send({ fresh, send }) {
        const { id, version } = await fresh();
        needs(!Number.isNaN(version), "a version");
        const json = { version: version + 100, actions: [{ action: "doSomeThing" }] };
        return await send("updateResource", { path: { id }, json });
      },
    },
    {
      code: "invalid_token",
      status: 401,
      of: "a malformed token",
      send: ({ send }) => send("queryResources", { token: null, headers: { Authorization: "Bearer" } }),
    },
  ];
  return [
    ...rows.map(
      ({ code, status, of, writes, send, field }): Check => ({
        name: `every operation: the code of ${of} is ${code}`,
        operation: EVERY_OPERATION,
        kind: "assumption",
        row: "errors",
        ...(writes && { writes }),
        expected: `The error of ${of} has the code ${code}${field === undefined ? "" : ` and the field ${field}`}.`,
        async attempt(service) {
          const reply = await send(service);
          needs(reply.status === status, `${status}; ${reply.seen}`);
          const [first] = errorsIn(reply);
          needs(first !== undefined, "an error body with errors");
          const seen = `the code ${service.secrets.shown(first.code)}`;
          claim(first.code === code, seen);
          const withField = `${seen} and the field ${service.secrets.shown(first.field)}`;
          claim(field === undefined || first.field === field, withField);
          return field === undefined ? seen : withField;
        },
      }),
    ),
  ];
}
