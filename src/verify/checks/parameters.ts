import type { Contract, OperationId, ServiceOperation } from "../../contract/contract.ts";
import type { Parameter } from "../../contract/operation.ts";
import type { Check } from "../check.ts";
import { claim } from "../outcome.ts";
import { limitWorks, offsetWorks, sortWorks, whereWorks } from "./query.ts";
import { orderOf, sendValid, successOf, writesOf } from "./valid.ts";

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

/** If a service ignores one of these parameters, it also accepts invalid values of it. */
const needed: Readonly<Record<string, string>> = {
  where: whereWorks,
  sort: sortWorks,
  limit: limitWorks,
  offset: offsetWorks,
};

/** For each query parameter of each operation: valid values are accepted, and invalid ones are 400. */
export function parameterChecks(contract: Contract): Check[] {
  const typed = contract.operations.flatMap((operation) =>
    operation.parameters
      .filter((parameter) => parameter.in === "query")
      .flatMap((parameter) => [
        ...accepted(contract, operation, parameter),
        ...rejected(contract, operation, parameter),
      ]),
  );
  return [...typed, ...strictness(contract)];
}

function accepted(_contract: Contract, operation: ServiceOperation, parameter: Parameter): Check[] {
  const values = validByName[parameter.name] ?? valid[parameter.type];
  const pairs = (names[parameter.name] ?? [parameter.name]).flatMap((name) =>
    values.map((value) => [name, value] as const),
  );
  return pairs.map(([name, value]) => ({
    ...common(operation),
    name: `${operation.id}: accepts ${name}=${value}`,
    kind: "contract",
    expected: `The query parameter ${name}=${value} is valid.`,
    async attempt(service) {
      const { isOk, seen } = await sendValid(service, operation.id, { query: [[name, value]] });
      claim(isOk, seen);
      return seen;
    },
  }));
}

function rejected(contract: Contract, operation: ServiceOperation, { name, type }: Parameter): Check[] {
  const value = invalid[type];
  return value === undefined ? [] : [badRequest(contract, operation.id, [[name, value]], "contract")];
}

/** Rules for values that the interface does not state. */
function strictness(contract: Contract): Check[] {
  const assumption = (id: OperationId, ...query: [string, string][]) =>
    badRequest(contract, id, query, "assumption", "types");
  return [
    assumption("queryResources", ["integerParameter", "1.5"]),
    assumption("queryResources", ["integerParameter", "2147483648"]),
    assumption("queryResources", ["stringParameter", "a"], ["stringParameter", "b"]),
    assumption("searchResources", ["fuzzy", "1"]),
    assumption("uploadImage", ["variant", "-2147483649"]),
    {
      ...badRequest(contract, "searchResources", [["fuzzyLevel", "1e9"]], "contract"),
      expected: "The query parameter fuzzyLevel=1e9 returns 400, as it exceeds the default level of the platform.",
      row: "search",
    },
    {
      ...badRequest(contract, "queryResources", [["objectParameter", "[1]"]], "assumption"),
      row: "json-parameters",
    },
    {
      ...common(find(contract, "queryResources")),
      name: "queryResources: accepts repeated values of arrayOfString",
      kind: "contract",
      expected: "The query parameter arrayOfString may be passed several times.",
      async attempt(service) {
        const query = [
          ["arrayOfString", "a"],
          ["arrayOfString", "b"],
        ] as const;
        const { isOk, seen } = await sendValid(service, "queryResources", { query });
        claim(isOk, seen);
        return seen;
      },
    },
    {
      ...common(find(contract, "queryResources")),
      name: "queryResources: ignores an unknown query parameter",
      kind: "assumption",
      row: "unknown-names",
      expected: "A query parameter that the interface does not name is accepted.",
      async attempt(service) {
        const { isOk, seen } = await sendValid(service, "queryResources", { query: [["resourceMockVerify", "1"]] });
        claim(isOk, seen);
        return seen;
      },
    },
  ];
}

function badRequest(
  contract: Contract,
  id: OperationId,
  query: readonly (readonly [string, string])[],
  kind: Check["kind"],
  row?: Check["row"],
): Check {
  const text = query.map(([name, value]) => `${name}=${value}`).join("&");
  return {
    ...common(find(contract, id), ...query.flatMap(([name]) => needed[name] ?? [])),
    name: `${id}: ${text} is 400`,
    kind,
    ...(row && { row }),
    expected: `The query parameter ${text} is invalid, so the response is 400.`,
    async attempt(service) {
      const { status, seen } = await sendValid(service, id, { query });
      claim(status === 400, seen);
      return seen;
    },
  };
}

function common(operation: ServiceOperation, ...needs: string[]) {
  const { id } = operation;
  return {
    operation: id,
    needs: [successOf(id), ...needs],
    ...writesOf(operation),
    ...orderOf(operation),
  };
}

function find(contract: Contract, id: OperationId): ServiceOperation {
  const operation = contract.find(id);
  if (!operation) throw new Error(`unknown operation ${id}`);
  return operation;
}
