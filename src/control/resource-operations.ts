import {
  type Contract,
  collectionAt,
  detached,
  type ErrorDetail,
  isObject,
  MAX_ADDED,
  MAX_ID,
  MAX_LISTED_COLLECTIONS,
  minimalValue,
  type NamedCollection,
  pathOfCollection,
  type ResourceType,
  type Schema,
  ServiceError,
  shown,
  TimeSlice,
  typeSummariesOf,
} from "../contract/index.ts";
import { bodyViolation, type Engine, makingIn } from "../engine/index.ts";
import { type History, isCut, isOf, versionOf } from "../journal/index.ts";
import { type Project, shortHash } from "../project/index.ts";
import {
  type Collection,
  clientMembers,
  collectionIn,
  compileSort,
  compileWhere,
  draftedItem,
  draftOf,
  draftProblems,
  draftsOf,
  type Item,
  identitiesOf,
  isByCollection,
  itemBy,
  itemById,
  itemOf,
  knownOf,
  nextVersion,
  placeOf,
  readSeed,
  type SeededCollection,
  type StateDraft,
  selectItems,
  shownItem,
  typeIn,
  withId,
  withoutKnown,
} from "../state/index.ts";
import { bytesHeaders, type ControlResponse, created, invalid, list, notFound, ok, tagOf } from "./control-response.ts";
import { AnyItem, Generate, ResourceDraft, ResourceVersion, StoredType } from "./control-schemas.ts";
import { type ControlCall, inProject, json, listOf, PAGE, paging, problem } from "./define-operation.ts";
import { ofType, ResourceFilter } from "./request-selection.ts";
import { effortOf } from "./search.ts";
import { validated } from "./serve-control.ts";

const ResourceDrafts = { type: "array", items: ResourceDraft, maxItems: MAX_ADDED } as const satisfies Schema;
const Resources = listOf("resources", AnyItem);
const byCollection = (items: Schema, description: string) =>
  ({ type: "object", additionalProperties: { type: "array", items }, description }) as const;
const DraftsByCollection = byCollection(
  ResourceDraft,
  "Lists by the paths of their collections, such as `/users/ann/posts`, or by names of types.",
);

const byId = {
  pathParameters: { id: { description: "The id of the resource.", example: "d7837e18-cc45-4c00-8db9-da596e263d96" } },
  query: ofType,
};

/** The header of a change that applies only to the expected content (RFC 9110, 13.1.1). */
const headers = {
  "If-Match":
    "The `ETag` of a previous response. If the resource has another tag now or does not exist, the call returns 412 and changes nothing. `*` matches any existing resource.",
};
const tagged = { ETag: "The tag of the content, for the header `If-Match`." };
const hasChanged = problem("The resource has another tag than `If-Match`.");

function exampleOf({ types: [type] }: Contract): unknown {
  const draft = type && draftOf(type);
  return draft && (draft.examples?.[0] ?? minimalValue(draft));
}

export const operations = {
  listTypes: inProject("GET", "/types", {
    summary: "List the types of the stored items",
    description: "The first one is the default of the calls for resources.",
    query: paging,
    responses: { 200: json("The types.", listOf("types", StoredType)) },
    handle({ engine: { contract, fixtures }, project: { state }, query: { limit = PAGE, offset = 0 } }) {
      const { collections, initial } = state;
      // Initial items of a document are generated when they are first read.
      const sizeOf = (name: string) =>
        collections.get(name)?.items.size ?? (fixtures.seed.has(name) ? initial.of(name).items.size : undefined);
      const byType = Map.groupBy(new Set([...collections.keys(), ...initial.names]), typeIn);
      const types = typeSummariesOf(contract).slice(offset, offset + limit);
      const shownTypes = types.map((summary) => {
        const type = contract.typeOf(summary.name);
        const found = (byType.get(summary.name) ?? []).map((name) => ({ name, count: sizeOf(name) }));
        const isCounted = found.every(({ count }) => count !== undefined);
        return {
          ...summary,
          count: isCounted ? found.reduce((sum, { count = 0 }) => sum + count, 0) : undefined,
          ...(type?.scope && {
            collections: found
              .slice(0, MAX_LISTED_COLLECTIONS)
              .map(({ name, count }) => ({ path: pathOfCollection(type, name), count })),
          }),
        };
      });
      return list("types", shownTypes, contract.types.length);
    },
  }),

  listResources: inProject("GET", "/resources", {
    summary: "List or search the resources",
    description: "Returns the resources that satisfy all given parameters. `total` counts the resources of all pages.",
    query: { ...ResourceFilter.properties, ...paging },
    responses: { 200: json("The resources.", listOf("resources", AnyItem)) },
    async handle(call) {
      const { key, q, where, sort, type, limit = PAGE, offset = 0 } = call.query;
      const items = itemsFor(type, call.engine.contract);
      const collection = collectionIn(call.project.state, items.name);
      const isWhere = where === undefined ? undefined : compileWhere([where], items.type, {});
      const order = sort === undefined ? undefined : compileSort([sort], items.type);
      const text = q?.toLowerCase();
      const hasText = ({ id, alternates = {} }: Item) =>
        text === undefined || [id, ...Object.values(alternates)].some((each) => each.toLowerCase().includes(text));
      const matches = (item: Item) => hasText(item) && (isWhere?.(item) ?? true);
      const byKey = key === undefined ? undefined : itemBy(collection, "key", key);
      const candidates = key === undefined ? collection.items.values() : byKey ? [byKey] : [];
      const isFiltered = key !== undefined || text !== undefined || isWhere !== undefined;
      const { selected, total } = await selectItems(candidates, {
        limit,
        offset,
        withTotal: true,
        order,
        slice: effortOf(call),
        ...(isFiltered ? { matches } : { total: collection.items.size }),
      });
      return listed(items, selected, total);
    },
  }),

  addResources: inProject("POST", "/resources", {
    summary: "Add one resource, several resources or generated resources",
    description: "Adds all resources or none. Defaults: a new id, version 1, and the time of the project.",
    query: ofType,
    body: { anyOf: [ResourceDraft, ResourceDrafts, Generate, DraftsByCollection] },
    example: exampleOf,
    shapeOf(body) {
      if (Array.isArray(body)) return ResourceDrafts;
      return isObject(body) && "generate" in body ? Generate : ResourceDraft;
    },
    reach: "own steps",
    holdsState: true,
    responses: {
      201: json("The resource, the list of several resources, or lists by the same names as in the body.", {
        anyOf: [AnyItem, Resources, byCollection(AnyItem, "Lists by collections.")],
      }),
      409: problem("Another resource has the id or key."),
    },
    async handle({ engine, body, query, step }) {
      if (query.type === undefined && isByCollection(engine.contract, body)) {
        const { seeded, problems } = await readSeed(engine.contract, body);
        if (problems.length > 0) throw new ServiceError(problems.map(bodyViolation));
        const stored = await step((of) => of.change((state) => seeded.map((each) => add(of, engine, state, each))));
        const shown = seeded.map(({ key, type }, index) => [key, stored[index]?.map((item) => shownItem(type, item))]);
        return created(Object.fromEntries(shown));
      }
      const items = itemsFor(query.type, engine.contract);
      const { type } = items;
      if (Array.isArray(body)) {
        const drafts = (await validated(draftsOf(type), body, "")) as object[];
        const stored = await step((of) => addTo(of, engine, { ...items, drafts, pointerOf: (index) => `/${index}` }));
        return { ...listed(items, stored), status: 201 };
      }
      // A member of a type can have this name too.
      if ("generate" in body && !Object.hasOwn(type.schema?.properties ?? {}, "generate")) {
        return { ...listed(items, await generate({ step, engine }, items, body as Generate)), status: 201 };
      }
      const draft = (await validated(draftOf(type), body, "")) as object;
      const single = { ...items, drafts: [draft], pointerOf: () => "" };
      const { key, stored } = await step((of) => ({ key: of.key, stored: addTo(of, engine, single) }));
      const [record] = stored.map((item) => shownItem(type, item));
      const [project, id] = [key, stored[0]?.id ?? ""].map((text) => encodeURIComponent(text.toWellFormed()));
      const ofType = query.type === undefined ? "" : `?type=${encodeURIComponent(query.type)}`;
      const location = `/__admin/projects/${project}/resources/${id}${ofType}`;
      return created(record, { Location: location, ...(record && { ETag: entityTag(record) }) });
    },
  }),

  readResource: inProject("GET", "/resources/{id}", {
    summary: "Return a stored resource",
    description: "An unknown id is 404: this call creates no resource from the fixture.",
    ...byId,
    responses: { 200: json("The resource.", AnyItem, { headers: tagged }) },
    handle({ engine, project, path, query: { type } }) {
      const items = itemsFor(type, engine.contract);
      const item = itemById(collectionIn(project.state, items.name), path.id);
      if (!item) throw unknownItem(items, path.id);
      const shownAs = shownItem(items.type, item);
      return { ...ok(shownAs), headers: { ETag: entityTag(shownAs) } };
    },
  }),

  resourceHistory: inProject("GET", "/resources/{id}/history", {
    summary: "Return the versions of a resource, newest first",
    description:
      "Each with the request that wrote it, as far as the journal keeps changes. Also for a deleted resource.",
    ...byId,
    responses: { 200: json("The versions.", listOf("versions", ResourceVersion)) },
    handle({ engine, project, path: { id }, query: { type } }) {
      const items = itemsFor(type, engine.contract);
      const versions = versionsOf(project.history, items, id);
      if (versions.length === 0 && !itemById(collectionIn(project.state, items.name), id)) throw unknownItem(items, id);
      return list("versions", versions);
    },
  }),

  writeResource: inProject("PUT", "/resources/{id}", {
    summary: "Create or replace a resource",
    description:
      "If the body has no version, the version is 1 for a new resource, and increases by 1 for an existing resource.",
    ...byId,
    headers,
    body: ResourceDraft,
    holdsState: true,
    example: exampleOf,
    responses: {
      200: json("The replaced resource.", AnyItem, { headers: tagged }),
      201: json("The new resource.", AnyItem, { headers: tagged }),
      409: problem("Another resource has the key."),
      412: hasChanged,
    },
    async handle({ engine, project, path: { id }, query: { type }, body, header }) {
      const items = itemsFor(type, engine.contract);
      if (items.type.kind === "singleton") throw unknownItem(items, id);
      const draft = (await validated(draftOf(items.type), body, "")) as object;
      const { id: sent = id } = knownOf(items.type, draft);
      const problem = `expected the id in the path, ${shown(id)}, found ${shown(sent)}`;
      if (sent !== id) throw invalid(placeOf(items.type, "id"), problem);
      if (id.length > MAX_ID) throw invalid("id", `expected at most ${MAX_ID} characters, found ${id.length}`);
      const { item, isNew } = project.change((state) =>
        writeItem(project, engine, state, items, { id: detached(id), draft }, header("if-match")),
      );
      const record = shownItem(items.type, item);
      return { status: isNew ? 201 : 200, json: record, headers: { ETag: entityTag(record) } };
    },
  }),

  readContent: inProject("GET", "/resources/{id}/content", {
    summary: "Return the bytes of a stored file",
    ...byId,
    responses: { 200: json("The bytes.", { type: "string" }, { mediaType: "application/octet-stream" }) },
    handle({ engine, project, path: { id }, query: { type } }) {
      const items = itemsFor(type, engine.contract);
      const { bytes } = itemById(collectionIn(project.state, items.name), id) ?? {};
      if (!bytes) throw notFound(`The ${items.type.name} ${shown(id)} has no bytes.`);
      return { status: 200, content: new Uint8Array(bytes), headers: bytesHeaders("application/octet-stream") };
    },
  }),

  removeResource: inProject("DELETE", "/resources/{id}", {
    summary: "Delete a resource",
    ...byId,
    headers,
    responses: { 412: hasChanged },
    handle({ engine, project, path, query: { type }, header }) {
      const items = itemsFor(type, engine.contract);
      const existed = project.change((draft) => {
        requireMatch(header("if-match"), items.type, itemById(draft.in(items.name), path.id));
        return draft.remove(items.name, path.id);
      });
      if (!existed) throw unknownItem(items, path.id);
    },
  }),
};

/** The items that a call is about. */
export type Items = NamedCollection;

/** Returns the items of a collection (see `collectionAt`), by default those of the first type. Throws InvalidField. */
export function itemsFor(text: string | undefined, contract: Contract): Items {
  const [first] = contract.types;
  // The contract has no collection that everybody shares.
  if (text === undefined && first?.scope)
    throw invalid("type", `expected the path of a collection, such as ${first.path}, found none`);
  const found = collectionAt(contract, text ?? first?.name ?? "");
  if (typeof found === "string") throw invalid("type", found);
  return found;
}

/** Returns the entity tag of a resource. It depends on the content, as a client can replace a resource without a new version. */
function entityTag(shownAs: object): string {
  return tagOf(JSON.stringify(shownAs));
}

/**
 * Throws PreconditionFailed if the item, as users see it, does not match the header `If-Match` (RFC 9110, 13.1.1). Throws
 * InvalidField for an invalid header. Without the header, every item matches.
 */
function requireMatch(ifMatch: string | undefined, type: ResourceType, item: Item | undefined): void {
  if (ifMatch === undefined) return;
  const isAny = ifMatch === "*";
  if (!isAny && !/^(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*$/.test(ifMatch)) {
    throw invalid("If-Match", `expected * or entity tags, found ${shown(ifMatch)}`);
  }
  const tags: readonly string[] = ifMatch.match(/(W\/)?"[^"]*"/g) ?? [];
  const tag = item && entityTag(shownItem(type, item));
  if (tag !== undefined && (isAny || tags.includes(tag))) return;
  const found = tag === undefined ? "no resource" : `another tag, ${tag}: the resource has changed`;
  const message = `If-Match: expected the tag of the stored resource, found ${found}. Read the resource again`;
  throw new ServiceError({ code: "PreconditionFailed", message, field: "If-Match" });
}

function versionsOf(history: History, { type, name }: Items, id: string): ResourceVersion[] {
  return history.list().flatMap(({ at, author, number, changes }) => {
    const { by, request, method, path, client } = author;
    const write = { writtenAt: new Date(at).toISOString(), moment: number, by, request, method, path, client };
    const ofItem = changes.filter((change) => isOf(change, name, id)).reverse();
    return ofItem.map(({ after }) => ({
      version: versionOf(after) ?? null,
      ...write,
      ...(isCut(after) ? { cut: after.cut } : after && { resource: shownItem(type, after[1]) }),
    }));
  });
}

function listed({ type }: Items, items: readonly Item[], total = items.length): ControlResponse {
  const shownItems = items.map((item) => shownItem(type, item));
  return list("resources", shownItems, total);
}

/**
 * Creates or replaces the item with this id. Without a version in the draft, it has the given or the next one. Throws
 * DuplicateValue if another item has one of its identities, and PreconditionFailed if the stored one does not match the
 * header `If-Match`.
 */
export function writeItem(
  project: Project,
  engine: Engine,
  state: StateDraft,
  { type, name }: Items,
  { id, draft, version }: { readonly id: string; readonly draft: object; readonly version?: number },
  ifMatch?: string,
): { item: Item; isNew: boolean } {
  const [problem] = draftProblems({ type, drafts: [draft], pointerOf: () => "" });
  if (problem) throw new ServiceError(bodyViolation(problem));
  const items = state.in(name);
  const before = itemById(items, id);
  requireMatch(ifMatch, type, before);
  const now = project.clock.timestamp();
  const next = version ?? (before && knownOf(type, draft).version === undefined ? nextVersion(before) : 1);
  const known = { version: next, createdAt: before?.createdAt ?? now, lastModifiedAt: now };
  const item = draftedItem(type, withId(type, draft, id), makingIn(project, engine, state, name), known);
  const [used] = usedIdentities(items, item.alternates, (member) => placeOf(type, member), id);
  if (used) throw new ServiceError(used);
  state.put(name, item);
  return { item, isNew: !before };
}

/**
 * Adds all items or none, and returns them. Throws InvalidField for identities that occur twice in the list. Throws
 * DuplicateValue for those that other items have.
 */
function addTo(project: Project, engine: Engine, seeded: SeededCollection): Item[] {
  const problems = draftProblems(seeded);
  if (problems.length > 0) throw new ServiceError(problems.map(bodyViolation));
  return project.change((state) => add(project, engine, state, seeded));
}

/** Adds items to the state. Throws DuplicateValue for identities that other items have. */
function add(project: Project, engine: Engine, state: StateDraft, seeded: SeededCollection): Item[] {
  const { type, name, drafts, pointerOf } = seeded;
  const stored = state.in(name);
  const used = drafts.flatMap((draft, index) =>
    usedIdentities(stored, identitiesOf(type, draft), (member) => pointerOf(index) + placeOf(type, member)),
  );
  if (used.length > 0) throw new ServiceError(used);
  const taken = new Set(drafts.map((draft) => knownOf(type, draft).id));
  const making = { ...makingIn(project, engine, state, name), taken };
  return drafts.map((draft) => {
    const item = draftedItem(type, draft, making);
    state.put(name, item);
    return item;
  });
}

async function generate(
  { step, engine }: Pick<ControlCall, "step" | "engine">,
  { type, name }: Items,
  { generate: count, seed }: Generate,
): Promise<Item[]> {
  const ownSeed = await step((project) => Number.parseInt(shortHash(project.seedText("generated")), 16));
  // Outside of a step, as this takes long.
  const drafts = await (type.generate ?? generatedBySchema(type))(count, seed ?? ownSeed);
  return step((project) =>
    project.change((state) => {
      const making = makingIn(project, engine, state, name);
      return drafts.map((draftWith) => {
        const id = type.draft ? project.newId(state, name, type) : "";
        const draft = draftWith(id);
        const item = id ? itemOf(type, draft, { id, now: making.now }) : draftedItem(type, draft, making);
        const [used] = usedIdentities(state.in(name), item.alternates, () => "/generate");
        if (used) throw new ServiceError(used);
        state.put(name, item);
        return item;
      });
    }),
  );
}

function generatedBySchema(type: ResourceType): NonNullable<ResourceType["generate"]> {
  return async (count, seed) => {
    const { generateValue } = await import("../state/generate/index.ts");
    const slice = new TimeSlice();
    const drafts: object[] = [];
    for (let index = 0; index < count; index++) {
      if (slice.isOver) await slice.next();
      const value = await generateValue(type.draft ?? type.schema ?? {}, (seed + index) % 2 ** 32);
      drafts.push(clientMembers(type, Object(withoutKnown(type, value))));
    }
    return drafts.map((draft) => () => draft);
  };
}

/** Returns an error for each identity that an item has, other than the one with this id. `placeOf` returns its place. */
function usedIdentities(
  collection: Collection,
  identities: Readonly<Record<string, string>> = {},
  placeOf: (member: string) => string,
  id?: string,
): ErrorDetail[] {
  return Object.entries(identities).flatMap(([member, value]) => {
    const holder = itemBy(collection, member, value);
    if (!holder || holder.id === id) return [];
    const field = placeOf(member);
    const message = `${field}: expected an unused ${member}, found ${shown(value)}, which another resource has`;
    return [{ code: "DuplicateValue", message, field }];
  });
}

function unknownItem({ type }: Items, id: string): ServiceError {
  return notFound(`${type.name} with id ${shown(id)} not found`);
}
