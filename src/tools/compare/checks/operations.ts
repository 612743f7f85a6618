import {
  type Contract,
  type OperationId,
  type Parameter,
  type Schema,
  type ServiceOperation,
  successStatus,
} from "../../../contract/index.ts";
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
  const isValid: Judge = async ({ reply: { status, json, seen, members } }, service) => {
    needs(status !== 204, `a body; ${seen}`);
    if (json === undefined) return { isTrue: false, seen: `${seen} without a body` };
    // Almost every object is a valid ArrayTestType, so the results of a page decide which schema applies.
    const applied = schemaOf?.[Object.hasOwn(members, "results") ? "paged" : "sample"] ?? schema ?? {};
    const problem = await service.problemOf(applied, json);
    return { isTrue: problem === undefined, seen: problem === undefined ? seen : `${seen}: ${problem}` };
  };
  return [
    { name: SUCCEEDS, expected: "A valid request returns a status from 200 to 299." },
    { name: `the status of success is ${text}`, expected: `A valid request returns ${text}.`, expects: statuses },
    ...(schema ? [{ name: bodyClaim(schema, contract), expects: isValid }] : []),
  ];
}

function bodyClaim(schema: Schema, { schemas }: Contract): string {
  const nameOf = (each: Schema) => Object.entries(schemas).find(([, known]) => known === each)?.[0];
  const names = (schema.anyOf ?? [schema]).map(nameOf);
  return names.includes(undefined) ? "the response has a JSON body" : `the body is valid for ${names.join(" or ")}`;
}

/** An invalid value of each type, unless any text is valid, and valid values. */
const values: Readonly<Record<Parameter["type"], readonly [invalid: string | undefined, ...valid: string[]]>> = {
  string: [undefined, "some text"],
  untyped: [undefined, "some text"],
  float: ["abc", "1.5"],
  integer: ["abc", "3"],
  boolean: ["maybe", "true"],
  object: ["abc", '{"a":1}'],
  union: ["abc", "1.5", "2024-05-17T09:30:00.000Z", '{"version":1,"objectTypeProperty":{}}'],
};

/** Valid values of parameters with a meaning. */
const meanings: Readonly<Record<string, string>> = {
  where: "version > 0",
  sort: "version desc",
  limit: "5",
  offset: "0",
  fuzzyLevel: "1",
};

/** Names that match the patterns of parameters with many names. */
const matchingNames: Readonly<Record<string, readonly string[]>> = { text: ["text.en", "text.de-AT"], var: ["var.a"] };

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
      const [invalid, ...valid] = values[type];
      const accepted = name in meanings ? [meanings[name]] : valid;
      const needed = Object.entries(works).flatMap(([parameter, claim]) => (parameter === name ? [claim] : []));
      return [
        ...(matchingNames[name] ?? [name]).flatMap((each) => accepted.map((value) => accepts(`${each}=${value}`))),
        ...(invalid === undefined ? [] : [rejects(`${name}=${invalid}`, { needs: needed })]),
      ];
    });
}

function accepts(query: string, more: Partial<Row> = {}): Row {
  const expected = `The query parameter ${query} is valid.`;
  return { name: `accepts ${query}`, expected, sends: query, ...more };
}

function rejects(query: string, more: Partial<Row> = {}): Row {
  const expected = `The query parameter ${query} is invalid, so the response is 400.`;
  return { name: `${query} is 400`, expected, sends: query, ...more };
}

/** How strict the service is where the interface does not say it, by operation. */
const strictness: { readonly [Id in OperationId]?: readonly Row[] } = {
  queryResources: [
    rejects("integerParameter=1.5", { assumption: "types" }),
    rejects("integerParameter=2147483648", { assumption: "types" }),
    rejects("stringParameter=a&stringParameter=b", { assumption: "types" }),
    rejects("objectParameter=[1]", { assumption: "json-parameters" }),
    accepts("arrayOfString=a&arrayOfString=b", { name: "accepts repeated values of arrayOfString" }),
    accepts("resourceMockVerify=1", { name: "ignores an unknown query parameter", assumption: "unknown-names" }),
  ],
  searchResources: [
    rejects("fuzzy=1", { assumption: "types" }),
    // It exceeds the default level of the platform.
    rejects("fuzzyLevel=1e9", { kind: "contract", assumption: "search" }),
  ],
  uploadImage: [rejects("variant=-2147483649", { assumption: "types" })],
};

type TokenOf = (service: Service) => Promise<string> | string | null;

/** Most checks of tokens need credentials, as a service without them accepts anonymous requests. */
function tokens({ scopes }: ServiceOperation): Row[] {
  const row = (name: string, token: TokenOf, more: Partial<Row>): Row => ({
    name,
    sends: async (service) => ({ token: await token(service) }),
    ...more,
  });
  const missing = "a missing token is 401";
  const withoutScope = "a token without its scopes is 403";
  const other = ["view_test", "manage_products", "manage_test"].find((scope) => !scopes.includes(scope)) ?? "";
  return [
    row(missing, noToken, {}),
    row("an unknown token is 401", () => "resource-mock-verify", { needs: [missing] }),
    ...(scopes.length === 0
      ? [row("a token with any scope of the project is accepted", limited("view_test"), { assumption: "any-token" })]
      : [
          row(withoutScope, limited(other), {
            needs: [missing],
            expected: `A token with the scope ${other}:{projectKey} only returns 403.`,
          }),
          row("a token of another project is 403", limited(scopes[0] ?? "", "other-"), {
            needs: [missing, withoutScope],
          }),
        ]),
    ...scopes.map((scope) => row(`the scope ${scope} is enough`, limited(scope), {})),
  ];
}

function noToken({ tokens: { isKnown } }: Service): null {
  needs(isKnown, "--token or --client");
  return null;
}

/** Returns a token with one scope of a project. Throws Skip if the token endpoint does not issue it. */
function limited(scope: string, prefix = ""): TokenOf {
  return async ({ tokens: { hasClient, issue }, projectKey }) => {
    needs(hasClient, "--client and --token-url");
    return await issue(`${scope}:${prefix}${projectKey}`).catch((error: Error) => {
      throw new Skip(`needs a token with the scope ${scope}; ${error.message}`);
    });
  };
}
