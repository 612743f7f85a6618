import {
  type Contract,
  DEFAULT_PROJECT,
  decodedPath,
  matches,
  type Operation,
  OperationTrie,
  type Route,
} from "../contract/index.ts";

/** What the path of a request addresses. */
export interface Address {
  /** The project key in the path, or `default`; decoded. Undefined if the path has no project. */
  readonly projectKey: string | undefined;
  /** The start of the path before that of the operation, as sent: `/my-project/v1`. */
  readonly base: string;
  /** Undefined if no operation has the path. */
  readonly route: Route<Operation> | undefined;
  /** The segments of the path below the project and the base path, decoded. */
  readonly segments: readonly string[];
}

/** Finds the project and the operation that paths address, by the addresses of a contract. */
export class Addressing {
  readonly trie: OperationTrie<Operation>;
  readonly #contract: Contract;
  readonly #basePaths: readonly (readonly string[])[];
  /** The first segments of base paths and token endpoints. */
  readonly #otherStarts: ReadonlySet<string>;

  constructor(contract: Contract) {
    const { operations, addresses, tokens } = contract;
    this.#contract = contract;
    this.trie = new OperationTrie(operations, addresses.isStrict, areValid);
    // The longest first, as one can begin with another.
    this.#basePaths = addresses.basePaths.map(segmentsOf).sort((a, b) => b.length - a.length);
    const others = [...this.#basePaths, ...tokens.paths.map(segmentsOf)];
    this.#otherStarts = new Set(others.map(([first = ""]) => first));
  }

  /** Returns whether paths of the service begin with this segment, so that it is never a project. */
  isReserved(segment: string): boolean {
    if (this.#contract.addresses.project !== undefined) return false;
    return this.trie.startsWith(segment) || this.#otherStarts.has(segment);
  }

  find(method: string, path: string): Address {
    const raw = segmentsOf(path);
    const { addresses } = this.#contract;
    if (!addresses.isStrict && raw.length > 1 && raw.at(-1) === "") raw.pop();
    const segments = path.includes("%") ? raw.map(decodedPath) : raw;
    const { project } = addresses;
    const [first = ""] = segments;
    const isBefore = project === undefined && first !== "" && !this.isReserved(first);
    const below = isBefore ? segments.slice(1) : segments;
    const start = isBefore ? `/${raw[0]}` : "";
    const within = (base: string, rest: readonly string[]): Address => {
      const route = this.trie.find(method, rest.length === 0 ? [""] : rest);
      if (project === undefined) return { projectKey: isBefore ? first : DEFAULT_PROJECT, base, route, segments: rest };
      const own = rest.length > 1 ? rest[0] : undefined;
      return { projectKey: route?.operation ? route.path[project] : own, base, route, segments: rest };
    };
    if (this.#basePaths.length === 0) return within(start, below);
    const basePath = this.#basePaths.find((each) => each.every((segment, index) => below[index] === segment));
    const ofBasePath = basePath && within(`${start}/${basePath.join("/")}`, below.slice(basePath.length));
    return ofBasePath?.route ? ofBasePath : within(start, below);
  }
}

/** Returns whether the parameters of a path match their schemas, as texts or as numbers. */
function areValid({ operation, path }: { operation: Operation; path: Readonly<Record<string, string>> }): boolean {
  return operation.parameters.every(({ in: location, name, schema }) => {
    const text = path[name];
    if (location !== "path" || text === undefined) return true;
    return matches(schema, text) || (text !== "" && matches(schema, Number(text)));
  });
}

function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}

export function decodedSegments(path: string): string[] {
  return segmentsOf(path).map(decodedPath);
}
