import { cachedBy } from "./cached.ts";
import type { Contract } from "./contract.ts";
import { type FromSchema, members, type Schema, string } from "./json-schema.ts";
import { type Operation, responseFor, successStatus } from "./operation-table.ts";
import type { ListParameter, ResourceType, Role } from "./resource-type.ts";

/** What the mock has understood of an operation, in a line. */
export const OperationSummary = members(
  { id: string, method: string, path: string, summary: string, role: string, reason: string },
  { type: string, tag: { type: "string", description: "The first tag of the operation in the document." } },
);
export type OperationSummary = FromSchema<typeof OperationSummary>;

const verbs = {
  list: "lists",
  create: "creates",
  read: "reads",
  replace: "replaces",
  merge: "merges into",
  update: "updates",
  delete: "deletes",
} as const;

/** Returns what the mock has understood of an operation: what it does with items of the state, and why. */
export function summaryOf(operation: Operation): OperationSummary {
  const { id, method, path, summary, tag, role, reason } = operation;
  const shared = { id, method, path, summary, ...(tag !== undefined && { tag }) };
  if (role) {
    const { does, type } = role;
    return { ...shared, role: `${verbs[does]} ${type}`, type, reason: reason ?? "the contract says so" };
  }
  const { examples = {}, schema } = responseFor(operation, successStatus(operation)) ?? {};
  const content = Object.keys(examples).length > 0 ? "the example" : schema ? "generated data" : "no body";
  const because = reason === undefined ? "" : `${reason}: `;
  return { ...shared, role: "no state", reason: `${because}returns ${content}` };
}

const names = { type: "array", items: string } as const satisfies Schema;

/** What the mock has understood of a type. */
export const typeFacts = {
  name: string,
  path: { type: "string", description: "The path of its collection or of its only item, below the project." },
  kind: { enum: ["collection", "files", "singleton"], description: "singleton: the project has one item at most." },
  id: { type: "string", description: "The member that identifies an item; several ones with / between them." },
  version: { type: "string", description: "The member that has the version, if one has it." },
  alternates: { ...names, description: "Further members that identify an item." },
  paging: { ...names, description: "The query parameters of lists that select a page." },
  sorting: { ...names, description: "The query parameters of lists that sort." },
  filters: { ...names, description: "The query parameters of lists that filter." },
  readBack: {
    type: "boolean",
    description: "Whether clients can read what they create. Absent if no operation creates an item.",
  },
} as const satisfies Record<string, Schema>;
const { name, path, kind, ...facts } = typeFacts;
const TypeSummary = members({ name, path, kind }, facts);
export type TypeSummary = FromSchema<typeof TypeSummary>;

/** The parameters of lists by their effect. */
const effects: Readonly<Record<"paging" | "sorting" | "filters", readonly ListParameter[]>> = {
  paging: ["limit", "offset", "page", "cursor", "withTotal"],
  sorting: ["sort", "direction"],
  filters: ["where"],
};

/** Returns what the mock has understood of the types of a contract. */
export const typeSummariesOf = cachedBy(({ types, operations }: Contract): readonly TypeSummary[] => {
  const roles = operations.flatMap(({ role }) => role ?? []);
  const byType = Map.groupBy(roles, ({ type }) => type);
  return types.map((type) => typeSummaryOf(type, byType.get(type.name) ?? []));
});

function typeSummaryOf(
  { name, path, kind, id, version, draft, alternates }: ResourceType,
  roles: readonly Role[],
): TypeSummary {
  const lists = roles.flatMap((role) => (role.does === "list" ? role.list : []));
  const parameters = Object.entries(effects).map(([effect, own]) => {
    const all = lists.flatMap(({ query = {}, filters = {} }) => [
      ...own.flatMap((each) => query[each] ?? []),
      ...(effect === "filters" ? Object.keys(filters) : []),
    ]);
    return [effect, [...new Set(all)]] as const;
  });
  const parts = id?.parts?.map(({ member = [] }) => member.join(".") || "$mock.id");
  const isCreated = roles.some((role) => role.does === "create" || ("creates" in role && role.creates));
  return {
    ...{ name, path, kind },
    ...(kind !== "singleton" && { id: parts?.join(",") ?? id?.member ?? (draft ? "id" : "$mock.id") }),
    ...(version && { version: version.join(".") }),
    ...(alternates && { alternates: [...alternates] }),
    ...Object.fromEntries(parameters.filter(([, all]) => all.length > 0)),
    ...(isCreated && { readBack: roles.some(({ does }) => does === "read" || does === "list") }),
  };
}
