import { type Path, shapeOf } from "./paths.ts";
import type { Part, Shapes } from "./shapes.ts";
import { finding, isVerb, singular } from "./words.ts";

/**
 * What a path is: a *collection*; an *item* of one, or a *view* of an item (`/pods/{name}/status`); *one* item without an id
 * in its scope (`/settings`); a path for *finding* items of a collection (`/pets/findByStatus`); or *other*.
 */
export type Kind = "collection" | "item" | "view" | "one" | "finding" | "other";

export interface Location {
  readonly path: Path;
  readonly kind: Kind;
  /** Why the path has no state. */
  readonly because?: string;
  /** The list that GET returns. */
  readonly list: Part | undefined;
  /** The shape of the collection, for itself, its items, and paths that find some of them; else of the path. */
  readonly collection: string;
  /** The number of parameters that are the id of the item. */
  readonly parts: number;
  /** The path of the item as written. */
  readonly written: string;
  /** The member that identifies the item, if it is another one than the id. */
  readonly alternate?: string;
}

const changes = ["PUT", "PATCH", "DELETE"];

/** Returns what each path is, by the shapes of the paths. */
export function locationsOf(paths: ReadonlyMap<string, Path>, shapes: Shapes): ReadonlyMap<string, Location> {
  const lists = new Map<Path, Part | undefined>();
  for (const path of paths.values()) {
    const item = paths.get(`${path.shape}/{}`);
    const known = [item && returnedBy(item, "GET"), returnedBy(path, "POST")].flatMap((each) =>
      each === undefined ? [] : [shapes.itemIn(each, singular(path.word)).schema],
    );
    lists.set(path, shapes.listIn(returnedBy(path, "GET"), path.word, known));
  }
  const listAt = (shape: string) => {
    const path = paths.get(shape);
    return path && lists.get(path);
  };

  /** Returns the path before the parameters at the end, of which the first ones can belong to the collection. */
  const collectionOf = ({ segments }: Path) => {
    const literal = segments.findLastIndex(({ parameters }) => parameters === 0);
    const before = (count: number) => shapeOf(segments.slice(0, segments.length - count));
    const counts = Array.from({ length: segments.length - 1 - literal }, (_each, index) => index + 1);
    const last = (count: number) => segments.slice(segments.length - count);
    const partsOf = (count: number) => last(count).reduce((sum, { parameters }) => sum + parameters, 0);
    const count =
      counts.find((each) => paths.get(before(each))?.operations.has("POST")) ??
      counts.findLast((each) => listAt(before(each))) ??
      counts.length;
    // An item with items of its own, directly below it: `/gists/{id}/{sha}`.
    const item = counts.find((each) => each < count && hasAny(paths.get(before(each)), changes));
    return item ? { shape: `${before(item)}/`, parts: partsOf(item) } : { shape: before(count), parts: partsOf(count) };
  };

  const items = [...paths.values()].filter(endsWithParameter).map((path) => ({ path, ...collectionOf(path) }));
  const collections = Map.groupBy(items, ({ shape }) => shape);
  const hasItems = (shape: string) =>
    (collections.get(shape) ?? []).some(({ path }) => ["GET", ...changes].some((each) => path.operations.has(each)));

  /** Returns another shape for the items below a single item: `/settings/{key}` beside `/settings`. */
  const separate = ({ shape, parts }: { shape: string; parts: number }) => {
    const path = paths.get(shape);
    const isSingle =
      path && !lists.get(path) && returnedBy(path, "GET") !== undefined && hasAny(path, ["PUT", "PATCH"]);
    return { shape: isSingle ? `${shape}/` : shape, parts };
  };

  const locations = new Map<string, Location>();
  for (const path of paths.values()) {
    const list = lists.get(path);
    const facts = { path, list, hasItems: hasItems(path.shape), shapes, above: itemAbove(path, paths) };
    const isAction = isVerb(path.word) && !listAt(collectionOf(path).shape);
    const isItem = endsWithParameter(path) && !hasItems(path.shape) && !isAction;
    const rule = isItem ? undefined : rules.find(({ when }) => when(facts));
    const own = isItem ? separate(collectionOf(path)) : { shape: path.shape, parts: 0 };
    const kind = isItem ? "item" : (rule?.kind ?? "other");
    const above = kind === "view" && facts.above ? collectionOf(facts.above) : own;
    const collection = kind === "finding" ? shapeOf(path.segments.slice(0, -1)) : above.shape;
    const [documented] = path.operations.values();
    const written = documented?.written ?? path.shape;
    locations.set(path.shape, { path, kind, because: rule?.because, list, collection, parts: above.parts, written });
  }
  return locations;
}

interface Facts {
  readonly path: Path;
  readonly list: Part | undefined;
  readonly hasItems: boolean;
  readonly shapes: Shapes;
  /** The item that the path is directly below. */
  readonly above: Path | undefined;
}

/** What paths are that do not end with the id of an item. The first row that fits decides. */
const rules: readonly { readonly kind: Kind; readonly because?: string; readonly when: (facts: Facts) => boolean }[] = [
  {
    kind: "other",
    because: "a verb at the end of the path",
    when: ({ path }) => /[^/]:\w+$/.test(path.shape),
  },
  {
    kind: "other",
    because: "a parameter that names no item",
    when: ({ path, hasItems }) => path.shape.endsWith("}") && !hasItems,
  },
  {
    kind: "finding",
    when: ({ path, hasItems }) => finding.test(path.segments.at(-1)?.text ?? "") && !hasItems,
  },
  {
    kind: "view",
    when: ({ path, above, shapes }) => {
      const own = above && (returnedBy(above, "GET") ?? returnedBy(above, "PUT"));
      return (
        own !== undefined && shapes.of(returnedBy(path, "GET")) === shapes.of(own) && hasAny(path, ["PUT", "PATCH"])
      );
    },
  },
  {
    kind: "collection",
    when: ({ path, list, hasItems, shapes }) =>
      list !== undefined &&
      (hasItems ||
        path.operations.has("POST") ||
        !hasAny(path, ["PUT", "PATCH"]) ||
        shapes.typeOf(returnedBy(path, "GET")) === "array"),
  },
  {
    kind: "one",
    when: ({ path, hasItems, list }) =>
      hasItems && returnedBy(path, "GET") !== undefined && !list && hasAny(path, ["PUT", "PATCH"]),
  },
  { kind: "collection", when: ({ path, hasItems }) => hasItems && hasAny(path, ["POST", "PUT", "GET"]) },
  {
    kind: "one",
    when: ({ path: { operations } }) => operations.get("GET")?.status === 204 && operations.has("PUT"),
  },
  {
    kind: "other",
    because: "a verb at the end of the path",
    when: ({ path }) => isVerb(path.segments.at(-1)?.text ?? "") && returnedBy(path, "GET") === undefined,
  },
  {
    kind: "one",
    when: ({ path, shapes }) => {
      const read = returnedBy(path, "GET");
      const isWritten = hasAny(path, ["PUT", "PATCH"]) || shapes.resemblance(returnedBy(path, "POST"), read) > 0.7;
      return read !== undefined && isWritten;
    },
  },
  { kind: "collection", when: ({ path }) => path.operations.has("POST") },
];

export function returnedBy({ operations }: Path, method: string): unknown {
  return operations.get(method)?.returned;
}

function hasAny(path: Path | undefined, methods: readonly string[]): boolean {
  return methods.some((each) => path?.operations.has(each));
}

function endsWithParameter({ segments }: Path): boolean {
  const { parameters = 0, text = "" } = segments.at(-1) ?? {};
  // `{id}:cancel` is an action, and `thumbnail.{format}` has the name of a format.
  return parameters > 0 && !/\}:\w+$|^[^{}=]+\.\{\}$/.test(text);
}

function itemAbove({ segments }: Path, paths: ReadonlyMap<string, Path>): Path | undefined {
  const above = paths.get(shapeOf(segments.slice(0, -1)));
  return above && endsWithParameter(above) ? above : undefined;
}
