import { closedObject, type FromSchema, findProblems, type Problem } from "../../contract/index.ts";
import { DocumentError, located, openSource, type Source, Sources } from "./sources.ts";

const name = { type: "string", minLength: 1 } as const;
const type = { ...name, description: "The name of a type, or its path." } as const;

const TypeCorrection = closedObject([], {
  id: {
    anyOf: [name, { type: "array", items: name, minItems: 1 }],
    description: "The members that identify an item, such as `id` or `owner.login`.",
  },
  version: { ...name, description: "The member that has the version." },
});

const IdSource = {
  ...closedObject([], { query: name, header: name, body: name, value: name }),
  minProperties: 1,
  maxProperties: 1,
  description: "If the path does not have the id of the item: what has it, or the id itself.",
} as const;

const OperationCorrection = closedObject([], {
  list: type,
  create: type,
  read: type,
  replace: type,
  merge: type,
  update: type,
  delete: type,
  set: { type: "object", minProperties: 1, description: "The members to change in the item of the path." },
  stateless: { const: true, description: "The response has nothing of the state." },
  type: { ...type, description: "With `set`, the type of the item, if the path names no item." },
  id: IdSource,
});
export type OperationCorrection = FromSchema<typeof OperationCorrection>;

/** The file of `--behaviour`: corrections of what the mock has found out about a document. */
export const Behaviour = closedObject([], {
  $schema: { type: "string" },
  types: { type: "object", additionalProperties: TypeCorrection, description: "Types by their names or paths." },
  operations: {
    type: "object",
    additionalProperties: OperationCorrection,
    description: "Operations by `operationId`, or by method and path: `POST /pets/search`.",
  },
});
export type BehaviourFile = Source & { readonly value: FromSchema<typeof Behaviour> };

/** Reads the file of `--behaviour`, or takes the parsed one. Throws `DocumentError` if it has another form. */
export async function readBehaviour(given: string | object): Promise<BehaviourFile> {
  const source = openSource(new Sources(await import("js-yaml")), given, "behaviour");
  refuse(source, await findProblems(Behaviour, source.value));
  return source as BehaviourFile;
}

/** Throws `DocumentError` with all problems, if there are any. */
export function refuse(source: Source, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new DocumentError(...located(source, problems));
}
