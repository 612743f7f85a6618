import { cachedBy } from "./cached.ts";
import type { Contract } from "./contract.ts";
import { matches } from "./explain.ts";
import { MAX_COLLECTION_NAME } from "./limits.ts";
import { OperationTrie } from "./operation-trie.ts";
import type { ResourceType } from "./resource-type.ts";
import { didYouMean } from "./text/did-you-mean.ts";
import { percentDecoded, shown } from "./text/shown.ts";

/** The items of a type in a scope. */
export interface NamedCollection {
  readonly type: ResourceType;
  /** The name in the state: that of the type, and the values of the scope, percent-encoded. */
  readonly name: string;
}

/** The most collections or types that an error names. */
const MOST_NAMED = 5;

/** The methods of the paths of collections and of items in the trie. */
const paths = { ofCollection: "GET", ofItem: "DELETE" } as const;

const trieOf = cachedBy(({ types }: Contract) => {
  const entries = types.flatMap((type) => [
    { type, path: type.path, method: paths.ofCollection },
    ...(type.itemPath === undefined ? [] : [{ type, path: type.itemPath, method: paths.ofItem }]),
  ]);
  return new OperationTrie(entries, false);
});

/**
 * Returns the collection that a text names: the name of a type (`Pet`), which values of its scope can follow (`Post/ann`), or
 * the path of a collection (`/users/ann/posts`). The values can be percent-encoded. For other texts, returns the problem.
 */
export function collectionAt(contract: Contract, text: string): NamedCollection | string {
  const [name = "", ...values] = text.split("/").map(percentDecoded);
  const named = contract.typeOf(text) ?? (name === "" ? undefined : contract.typeOf(name));
  if (named) return inScope(contract, named, named.name === text ? [] : values, text);
  if (!text.startsWith("/")) {
    if (typeof collectionAt(contract, `/${text}`) === "object")
      return `expected ${shown(`/${text}`)}, with a slash at its start`;
    const names = contract.types.map((type) => type.name);
    const more = names.length > MOST_NAMED ? ", …" : "";
    const known =
      names.length > 0 ? ` Known: ${names.slice(0, MOST_NAMED).join(", ")}${more}.` : " The contract has none.";
    return `unknown type.${didYouMean(text, names) || known}`;
  }
  const trie = trieOf(contract);
  const route = trie.find(paths.ofCollection, values);
  if (route?.operation) {
    const { type } = route.operation;
    const inPath = (type.scope ?? []).map((parameter) => route.path[parameter] ?? "");
    return inScope(contract, type, inPath, text);
  }
  const item = trie.find(paths.ofItem, values)?.operation;
  if (item)
    return `expected the path of a collection, such as ${item.type.path}, found the path of an item, ${shown(text)}`;
  const near = [...new Set(trie.near(values, MOST_NAMED).map(({ type }) => type.path))];
  return `expected the path of a collection, found ${shown(text)}. Nearest: ${near.join(", ") || "none"}`;
}

/** Returns the path of a collection in the state, which `collectionAt` reads: `/users/ann/posts` for `Post/ann`. */
export function pathOfCollection({ path, scope = [] }: ResourceType, name: string): string {
  const [, ...values] = name.split("/");
  return scope.reduce((filled, parameter, index) => filled.replace(`{${parameter}}`, () => values[index] ?? ""), path);
}

function inScope({ operations }: Contract, type: ResourceType, values: readonly string[], text: string) {
  const { path, scope = [] } = type;
  if (values.length !== scope.length || values.includes("")) {
    const expected = scope.length === 0 ? type.name : `values for the parameters of ${path}`;
    return `expected ${expected}, found ${shown(text)}`;
  }
  const template = values.find((value) => /^\{.*\}$/.test(value));
  if (template !== undefined) return `expected values in place of ${template}, found ${shown(text)}`;
  const { parameters = [] } = operations.find((operation) => operation.path === path) ?? {};
  for (const [index, parameter] of scope.entries()) {
    const { schema = {} } = parameters.find((each) => each.in === "path" && each.name === parameter) ?? {};
    const value = values[index] ?? "";
    if (!matches(schema, value) && !matches(schema, Number(value)))
      return `expected a value of {${parameter}} that its schema allows, found ${shown(text)}`;
  }
  const name = [type.name, ...values].map((part) => encodeURIComponent(part.toWellFormed())).join("/");
  if (name.length <= MAX_COLLECTION_NAME) return { type, name };
  return `expected the name of a collection of at most ${MAX_COLLECTION_NAME} characters, found ${name.length}`;
}
