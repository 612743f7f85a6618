import type { Contract, OperationId, ServiceOperation } from "../../contract/contract.ts";
import { type Parameter, successStatus } from "../../contract/operation.ts";
import type { Schema } from "../../contract/schema.ts";
import type { Query } from "../messages.ts";
import { needs, Skip } from "../outcome.ts";
import { checksFor, type Judge, type Row, SUCCEEDS } from "../rows.ts";
import type { Check } from "../run.ts";
import type { Service } from "../service.ts";

/** What the operation table states about each operation: statuses, bodies, query parameters, tokens and scopes. */
export function operationChecks(contract: Contract): Check[] {
  return contract.operations.flatMap((operation) =>
    checksFor(contract, operation.id, { kind: "contract" }, [
      ...responses(operation, contract),
      ...parameters(operation),
      ...(strictness[operation.id] ?? []),
      ...tokens(operation),
    ]),
  );
}

function responses(operation: ServiceOperation, contract: Contract): Row[] {
  const all = Object.keys(operation.responses).map(Number);
  // The interface chooses none of the statuses of this operation.
  const isOpen = operation.id === "runComplexOperation";
  const statuses = isOpen ? all.filter((status) => status < 300) : [successStatus(operation)];
  const text = statuses.join(", ").replace(/, (\d+)$/, " or $1");
  const { schema, schemaOf } = operation.responses[statuses[0] ?? 200] ?? {};
  const rows: Row[] = [
    { name: SUCCEEDS, expected: "A valid request returns a status from 200 to 299." },
    { name: `the status of success is ${text}`, expected: `A valid request returns ${text}.`, expects: statuses },
  ];
  if (!schema) return rows;
  const name = bodyClaim(schema, contract);
  const expects: Judge = async ({ reply: { status, json, seen, members } }, service) => {
    needs(status !== 204, `a body; ${seen}`);
    if (json === undefined) return { isTrue: false, seen: `${seen} without a body` };
    // Almost every object is a valid ArrayTestType, so the results of a page decide which schema applies.
    const applied = schemaOf?.[Object.hasOwn(members, "results") ? "paged" : "sample"] ?? schema;
    const problem = await service.problemOf(applied, json);
    return { isTrue: problem === undefined, seen: problem === undefined ? seen : `${seen}: ${problem}` };
  };
  return [...rows, { name, expected: `Of a successful response, ${name}.`, expects }];
}

function bodyClaim(schema: Schema, { schemas }: Contract): string {
  const nameOf = (each: Schema) => Object.entries(schemas).find(([, known]) => known === each)?.[0];
  const names = (schema.anyOf ?? [schema]).map(nameOf);
  return names.includes(undefined) ? "the response has a JSON body" : `the body is valid for ${names.join(" or ")}`;
}

/** Valid values by type. */
const valid: Readonly<Record<Parameter["type"], readonly string[]>> = {
  string: ["some text"],
  untyped: ["some text"],
  float: ["1.5"],
  integer: ["3"],
  boolean: ["true"],
  object: ['{"a":1}'],
  union: ["1.5", "2024-05-17T09:30:00.000Z", '{"version":1,"objectTypeProperty":{}}'],
};

/** Valid values of parameters with a meaning. */
const validByName: Readonly<Record<string, readonly string[]>> = {
  where: ["version > 0"],
  sort: ["version desc"],
  limit: ["5"],
  offset: ["0"],
  fuzzyLevel: ["1"],
};

/** Invalid values by type. Any text is valid for the others. */
const invalid: Readonly<Partial<Record<Parameter["type"], string>>> = {
  float: "abc",
  integer: "abc",
  boolean: "maybe",
  object: "abc",
  union: "abc",
};

/** Names that match the patterns of parameters with many names. */
const names: Readonly<Record<string, readonly string[]>> = { text: ["text.en", "text.de-AT"], var: ["var.a"] };

/** The basic checks of queries. A service that ignores one of these parameters also accepts invalid values of it. */
export const works = {
  where: "where selects the matching resources",
  sort: "sort orders the results",
  limit: "limit bounds the results",
  offset: "offset skips results",
} as const;

function parameters({ parameters: all }: ServiceOperation): Row[] {
  return all
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ name, type }) => {
      const values = validByName[name] ?? valid[type];
      const pairs = (names[name] ?? [name]).flatMap((each) => values.map((value) => [each, value] as const));
      const wrong = invalid[type];
      return [...pairs.map((pair) => accepts([pair])), ...(wrong === undefined ? [] : [rejects([[name, wrong]])])];
    });
}

function textOf(query: Query): string {
  return query.map((pair) => pair.join("=")).join("&");
}

function accepts(query: Query, more: Partial<Row> = {}): Row {
  const text = textOf(query);
  const expected = `The query parameter ${text} is valid.`;
  return { name: `accepts ${text}`, expected, sends: { query }, ...more };
}

function rejects(query: Query, more: Partial<Row> = {}): Row {
  const text = textOf(query);
  const expected = `The query parameter ${text} is invalid, so the response is 400.`;
  const needed = query.flatMap(([name]) =>
    Object.entries(works).flatMap(([each, claim]) => (each === name ? claim : [])),
  );
  return { name: `${text} is 400`, expected, needs: needed, sends: { query }, expects: 400, ...more };
}

/** How strict the service is where the interface does not say it, by operation. */
const strictness: { readonly [Id in OperationId]?: readonly Row[] } = {
  queryResources: [
    rejects([["integerParameter", "1.5"]], { assumption: "types" }),
    rejects([["integerParameter", "2147483648"]], { assumption: "types" }),
    rejects(
      ["a", "b"].map((value) => ["stringParameter", value]),
      { assumption: "types" },
    ),
    rejects([["objectParameter", "[1]"]], { assumption: "json-parameters" }),
    accepts(
      ["a", "b"].map((value) => ["arrayOfString", value]),
      { name: "accepts repeated values of arrayOfString" },
    ),
    accepts([["resourceMockVerify", "1"]], {
      name: "ignores an unknown query parameter",
      assumption: "unknown-names",
      expected: "A query parameter that the interface does not name is accepted.",
    }),
  ],
  searchResources: [
    rejects([["fuzzy", "1"]], { assumption: "types" }),
    rejects([["fuzzyLevel", "1e9"]], {
      kind: "contract",
      assumption: "search",
      expected: "The query parameter fuzzyLevel=1e9 returns 400, as it exceeds the default level of the platform.",
    }),
  ],
  uploadImage: [rejects([["variant", "-2147483649"]], { assumption: "types" })],
};

type TokenOf = (service: Service) => Promise<string> | string | null;

/** Most checks of tokens need credentials, as a service without them accepts anonymous requests. */
function tokens({ scopes }: ServiceOperation): Row[] {
  const row = (name: string, token: TokenOf, expects: Row["expects"], more: Partial<Row>): Row => ({
    name,
    sends: async (service) => ({ token: await token(service) }),
    expects,
    ...more,
  });
  const missing = "a missing token is 401";
  const withoutScope = "a token without its scopes is 403";
  const rows = [
    row(missing, noToken, 401, { expected: "A request without a token returns 401." }),
    row("an unknown token is 401", () => "resource-mock-verify", 401, {
      needs: [missing],
      expected: "A bearer token that the service did not issue returns 401.",
    }),
  ];
  const [first] = scopes;
  if (first === undefined) {
    const expected = "The operation needs no scope beyond a valid token of the project.";
    const more: Partial<Row> = { assumption: "any-token", expected };
    return [...rows, row("a token with any scope of the project is accepted", limited("view_test"), "2xx", more)];
  }
  const other = ["view_test", "manage_products", "manage_test"].find((scope) => !scopes.includes(scope)) ?? "";
  return [
    ...rows,
    row(withoutScope, limited(other), 403, {
      needs: [missing],
      expected: `A token with the scope ${other}:{projectKey} only returns 403.`,
    }),
    row("a token of another project is 403", limited(first, "other-"), 403, {
      needs: [missing, withoutScope],
      expected: "Scopes name their project, so a token with the scopes of another project only returns 403.",
    }),
    ...scopes.map((scope) =>
      row(`the scope ${scope} is enough`, limited(scope), "2xx", {
        expected: `A token with the scope ${scope}:{projectKey} only is accepted.`,
      }),
    ),
  ];
}

function noToken({ tokens: { isKnown } }: Service): null {
  needs(isKnown, "--token or --client");
  return null;
}

/** Returns a token with one scope of a project. Throws Skip if the token endpoint does not issue it. */
function limited(scope: string, prefix = ""): TokenOf {
  return async (service) => {
    needs(service.tokens.hasClient, "--client and --token-url");
    return await service.tokens.issue(`${scope}:${prefix}${service.projectKey}`).catch((error: Error) => {
      throw new Skip(`needs a token with the scope ${scope}; ${error.message}`);
    });
  };
}
