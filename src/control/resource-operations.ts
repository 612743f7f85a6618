import {
  type Contract,
  detached,
  type ErrorDetail,
  isObject,
  MAX_ADDED,
  MAX_ID,
  RESOURCE,
  type Schema,
  ServiceError,
  shown,
  unknownName,
} from "../contract/index.ts";
import { bodyViolation } from "../engine/index.ts";
import { type History, isCut, isOf, versionOf } from "../journal/index.ts";
import { type Project, shortHash } from "../project/index.ts";
import {
  type CollectionName,
  collectionIn,
  compileSort,
  compileWhere,
  duplicates,
  type Item,
  itemBy,
  itemById,
  itemOf,
  nextVersion,
  RecordDraft,
  type ResourceRecord,
  recordOf,
  type StateDraft,
  selectItems,
  shownItem,
} from "../state/index.ts";
import { type ControlResponse, created, invalid, list, notFound, ok, tagOf } from "./control-response.ts";
import { AnyItem, Generate, Resource, ResourceVersion, StoredType } from "./control-schemas.ts";
import { type ControlCall, inProject, json, listOf, PAGE, paging, problem } from "./define-operation.ts";
import { ofType, ResourceFilter } from "./request-selection.ts";
import { effortOf } from "./search.ts";

const RecordDrafts = { type: "array", items: RecordDraft, maxItems: MAX_ADDED } as const satisfies Schema;
const Resources = listOf("resources", Resource);

const pathParameters = {
  id: { description: "The id of the resource.", example: "d7837e18-cc45-4c00-8db9-da596e263d96" },
};

/** The header of a change that applies only to the expected content (RFC 9110, 13.1.1). */
const headers = {
  "If-Match":
    "The `ETag` of a previous response. If the resource has another tag now or does not exist, the call returns 412 and changes nothing. `*` matches any existing resource.",
};
const tagged = { ETag: "The tag of the content, for the header `If-Match`." };
const hasChanged = problem("The resource has another tag than `If-Match`.");

const draftExample = { key: "linen-shirt-white", objectTypeProperty: { arrayOfIntExample: [1, 2] } };

export const operations = {
  listTypes: inProject("GET", "/types", {
    summary: "List the types of the stored items",
    description: "The first one is the default of the calls for resources.",
    responses: { 200: json("The types.", listOf("types", StoredType)) },
    handle({ engine: { contract }, project: { state } }) {
      const types = contract.types.map(({ name, path, kind }) => {
        const { items } = collectionIn(state, encodeURIComponent(name));
        return { name, path, kind, ...(kind !== "singleton" && { id: "id" }), count: items.size };
      });
      return list("types", types);
    },
  }),

  listResources: inProject("GET", "/resources", {
    summary: "List or search the resources",
    description: "Returns the resources that satisfy all given parameters. `total` counts the resources of all pages.",
    query: { ...ResourceFilter.properties, ...paging },
    responses: { 200: json("The resources.", listOf("resources", AnyItem)) },
    async handle(call) {
      const { key, q, where, sort, type, limit = PAGE, offset = 0 } = call.query;
      const name = collectionFor(type, call.engine.contract);
      const collection = collectionIn(call.project.state, name);
      const isWhere = where === undefined ? undefined : compileWhere([where], {});
      const order = sort === undefined ? undefined : compileSort([sort]);
      const text = q?.toLowerCase();
      const hasText = ({ id, alternates = {} }: Item) =>
        text === undefined || [id, ...Object.values(alternates)].some((each) => each.toLowerCase().includes(text));
      const matches = (item: Item) => hasText(item) && (isWhere?.(item) ?? true);
      const byKey = key === undefined ? undefined : itemBy(collection, "key", key);
      const items = key === undefined ? collection.items.values() : byKey ? [byKey] : [];
      const isFiltered = key !== undefined || text !== undefined || isWhere !== undefined;
      const { selected, total } = await selectItems(items, {
        limit,
        offset,
        withTotal: true,
        order,
        slice: effortOf(call),
        ...(isFiltered ? { matches } : { total: collection.items.size }),
      });
      return list(
        "resources",
        selected.map((item) => shownItem(name, item)),
        total,
      );
    },
  }),

  addResources: inProject("POST", "/resources", {
    summary: "Add one resource, several resources or generated resources",
    description: "Adds all resources or none. Defaults: a new id, version 1, and the time of the project.",
    body: { anyOf: [RecordDraft, RecordDrafts, Generate] },
    example: draftExample,
    shapeOf(body) {
      if (Array.isArray(body)) return RecordDrafts;
      return isObject(body) && "generate" in body ? Generate : RecordDraft;
    },
    reach: "own steps",
    holdsState: true,
    responses: {
      201: json("The resource, or the list of several resources.", { anyOf: [Resource, Resources] }),
      409: problem("Another resource has the id or key."),
    },
    async handle({ body, step }) {
      if (Array.isArray(body)) return added(await step((of) => add(of, body, (index) => `/${index}`)));
      if ("generate" in body) return added(await generate(step, body));
      const { key, items } = await step((of) => ({ key: of.key, items: add(of, [body], () => "") }));
      const [item] = items;
      const [project, id] = [key, item?.id ?? ""].map((text) => encodeURIComponent(text.toWellFormed()));
      const location = `/__admin/projects/${project}/resources/${id}`;
      const record = item && recordOf(item);
      return created(record, { Location: location, ...(record && { ETag: entityTag(record) }) });
    },
  }),

  readResource: inProject("GET", "/resources/{id}", {
    summary: "Return a stored resource",
    description: "An unknown id is 404: this call creates no resource from the fixture.",
    pathParameters,
    query: ofType,
    responses: { 200: json("The resource.", AnyItem, { headers: tagged }) },
    handle({ engine, project, path, query: { type } }) {
      const name = collectionFor(type, engine.contract);
      const item = itemById(collectionIn(project.state, name), path.id);
      if (!item) throw unknownResource(path.id);
      const shownAs = shownItem(name, item);
      return { ...ok(shownAs), headers: { ETag: entityTag(shownAs) } };
    },
  }),

  resourceHistory: inProject("GET", "/resources/{id}/history", {
    summary: "Return the versions of a resource, newest first",
    description:
      "Each with the request that wrote it, as far as the journal keeps changes. Also for a deleted resource.",
    pathParameters,
    query: ofType,
    responses: { 200: json("The versions.", listOf("versions", ResourceVersion)) },
    handle({ engine, project, path: { id }, query: { type } }) {
      const name = collectionFor(type, engine.contract);
      const versions = versionsOf(project.history, name, id);
      if (versions.length === 0 && !itemById(collectionIn(project.state, name), id)) throw unknownResource(id);
      return list("versions", versions);
    },
  }),

  writeResource: inProject("PUT", "/resources/{id}", {
    summary: "Create or replace a resource",
    description:
      "If the body has no version, the version is 1 for a new resource, and increases by 1 for an existing resource.",
    pathParameters,
    headers,
    body: RecordDraft,
    holdsState: true,
    example: draftExample,
    responses: {
      200: json("The replaced resource.", Resource, { headers: tagged }),
      201: json("The new resource.", Resource, { headers: tagged }),
      409: problem("Another resource has the key."),
      412: hasChanged,
    },
    handle({ project, path: { id }, body: draft, header }) {
      if (draft.id !== undefined && draft.id !== id) {
        throw invalid("/id", `expected the id in the path, ${shown(id)}, found ${shown(draft.id)}`);
      }
      if (id.length > MAX_ID) throw invalid("id", `expected at most ${MAX_ID} characters, found ${id.length}`);
      const { record, isNew } = project.change((state) =>
        writeRecord(project, state, { ...draft, id: detached(id) }, header("if-match")),
      );
      return { status: isNew ? 201 : 200, json: record, headers: { ETag: entityTag(record) } };
    },
  }),

  removeResource: inProject("DELETE", "/resources/{id}", {
    summary: "Delete a resource",
    pathParameters,
    query: ofType,
    headers,
    responses: { 412: hasChanged },
    handle({ engine, project, path, query: { type }, header }) {
      const name = collectionFor(type, engine.contract);
      const existed = project.change((draft) => removeItem(draft, name, path.id, header("if-match")));
      if (!existed) throw unknownResource(path.id);
    },
  }),
};

/** Returns the name of the collection of a type. Throws InvalidField for an unknown type. */
function collectionFor(type: string | undefined, { types }: Contract): CollectionName {
  const names = types.map(({ name }) => name);
  if (type !== undefined && !names.includes(type)) throw invalid("type", unknownName("type", type, names));
  return encodeURIComponent(type ?? names[0] ?? "");
}

/** Returns the entity tag of a resource. It depends on the content, as a client can replace a resource without a new version. */
function entityTag(shownAs: object): string {
  return tagOf(JSON.stringify(shownAs));
}

/**
 * Throws PreconditionFailed if the item, as users see it, does not match the header `If-Match` (RFC 9110, 13.1.1). Throws
 * InvalidField for an invalid header. Without the header, every item matches.
 */
function requireMatch(ifMatch: string | undefined, name: CollectionName, item: Item | undefined): void {
  if (ifMatch === undefined) return;
  const isAny = ifMatch === "*";
  if (!isAny && !/^(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*$/.test(ifMatch)) {
    throw invalid("If-Match", `expected * or entity tags, found ${shown(ifMatch)}`);
  }
  const tags: readonly string[] = ifMatch.match(/(W\/)?"[^"]*"/g) ?? [];
  const tag = item && entityTag(shownItem(name, item));
  if (tag !== undefined && (isAny || tags.includes(tag))) return;
  const found = tag === undefined ? "no resource" : `another tag, ${tag}: the resource has changed`;
  const message = `If-Match: expected the tag of the stored resource, found ${found}. Read the resource again`;
  throw new ServiceError({ code: "PreconditionFailed", message, field: "If-Match" });
}

function versionsOf(history: History, name: CollectionName, id: string): ResourceVersion[] {
  return history.list().flatMap(({ at, author, number, changes }) => {
    const { by, request, method, path, client } = author;
    const write = { writtenAt: new Date(at).toISOString(), moment: number, by, request, method, path, client };
    const ofItem = changes.filter((change) => isOf(change, name, id));
    return ofItem.reverse().map(({ after }) => ({
      version: versionOf(after) ?? null,
      ...write,
      ...(isCut(after) ? { cut: after.cut } : after && { resource: shownItem(name, after[1]) as ResourceRecord }),
    }));
  });
}

function added(items: readonly Item[]): ControlResponse {
  return { ...list("resources", items.map(recordOf)), status: 201 };
}

/**
 * Creates or replaces the resource with this id. Throws DuplicateValue if another resource has the key, and
 * PreconditionFailed if the stored one does not match the header `If-Match`.
 */
export function writeRecord(
  { clock }: Project,
  state: StateDraft,
  draft: RecordDraft & { id: string },
  ifMatch?: string,
): { record: ResourceRecord; isNew: boolean } {
  const resources = state.in(RESOURCE);
  const before = itemById(resources, draft.id);
  requireMatch(ifMatch, RESOURCE, before);
  const holder = draft.key === undefined ? undefined : itemBy(resources, "key", draft.key);
  if (holder && holder.id !== draft.id) throw new ServiceError(taken("/key", "key", draft.key));
  const version = draft.version ?? (before ? nextVersion(before) : 1);
  const now = clock.timestamp();
  const createdAt = draft.createdAt ?? before?.createdAt ?? now;
  const lastModifiedAt = draft.lastModifiedAt ?? now;
  const item = itemOf({ ...draft, version, createdAt, lastModifiedAt }, { id: draft.id, now });
  state.put(RESOURCE, item);
  return { record: recordOf(item), isNew: !before };
}

/** Deletes an item. Returns whether it existed. Throws PreconditionFailed if it does not match the header `If-Match`. */
function removeItem(draft: StateDraft, name: CollectionName, id: string, ifMatch: string | undefined): boolean {
  requireMatch(ifMatch, name, itemById(draft.in(name), id));
  return draft.remove(name, id);
}

/**
 * Adds all resources or none, and returns their items. `pointer` returns the JSON pointer of a draft in the body.
 *
 * Throws InvalidField for ids and keys that occur twice in the list. Throws DuplicateValue for ids and keys that other
 * resources have.
 */
function add(project: Project, drafts: readonly RecordDraft[], pointer: (index: number) => string): Item[] {
  const repeated = [...duplicates(drafts, "id", ""), ...duplicates(drafts, "key", "")];
  if (repeated.length > 0) throw new ServiceError(repeated.map(bodyViolation));
  return project.change((state) => {
    const problems: ErrorDetail[] = [];
    const resources = state.in(RESOURCE);
    for (const [index, draft] of drafts.entries()) {
      for (const member of ["id", "key"] as const) {
        const value = draft[member];
        if (value === undefined || !itemBy(resources, member, value)) continue;
        problems.push(taken(`${pointer(index)}/${member}`, member, value));
      }
    }
    if (problems.length > 0) throw new ServiceError(problems);
    return store(project, state, drafts);
  });
}

function store(project: Project, state: StateDraft, drafts: Iterable<RecordDraft>): Item[] {
  const now = project.clock.timestamp();
  return Array.from(drafts, (draft) => {
    const item = itemOf(draft, { id: draft.id ?? project.newId(state, RESOURCE), now });
    state.put(RESOURCE, item);
    return item;
  });
}

async function generate(step: ControlCall["step"], { generate: count, seed }: Generate): Promise<Item[]> {
  const { generateRecords } = await import("../state/generate/index.ts");
  const ownSeed = await step((project) => Number.parseInt(shortHash(project.seedText("generated")), 16));
  // Outside of a step, as this takes long.
  const contents = await generateRecords(count, seed ?? ownSeed);
  return step((project) =>
    project.change((state) => {
      const drafts = contents.values().map(({ name, objectTypeProperty }) => {
        const id = project.newId(state, RESOURCE);
        const key = `${name}-${id.slice(0, UNIQUE_PART)}`;
        if (itemBy(state.in(RESOURCE), "key", key)) throw new ServiceError(taken("/generate", "key", key));
        return { id, key, objectTypeProperty };
      });
      return store(project, state, drafts);
    }),
  );
}

/** The length of an id prefix that is unique among 100,000 resources with the same name. */
const UNIQUE_PART = "00000000-0000".length;

function taken(pointer: string, member: "id" | "key", value: unknown): ErrorDetail {
  const message = `${pointer}: expected an unused ${member}, found ${shown(value)}, which another resource has`;
  return { code: "DuplicateValue", message, field: pointer };
}

function unknownResource(id: string): ServiceError {
  return notFound(`Resource with id ${shown(id)} not found`);
}
