import {
  detached,
  type ErrorDetail,
  isObject,
  MAX_ADDED,
  MAX_ID,
  type Schema,
  ServiceError,
  shown,
} from "../contract/index.ts";
import { bodyViolation } from "../engine/index.ts";
import { type History, isCut, isResource, versionOf } from "../journal/index.ts";
import { type Project, shortHash } from "../project/index.ts";
import {
  compileSort,
  compileWhere,
  duplicates,
  nextVersion,
  RecordDraft,
  type ResourceRecord,
  recordOf,
  resourceById,
  resourceByKey,
  type StateDraft,
  selectRecords,
} from "../state/index.ts";
import { type ControlResponse, created, invalid, list, notFound, ok, tagOf } from "./control-response.ts";
import { Generate, Resource, ResourceVersion } from "./control-schemas.ts";
import { type ControlCall, inProject, json, listOf, PAGE, paging, problem } from "./define-operation.ts";
import { ResourceFilter } from "./request-selection.ts";
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
  listResources: inProject("GET", "/resources", {
    summary: "List or search the resources",
    description: "Returns the resources that satisfy all given parameters. `total` counts the resources of all pages.",
    query: { ...ResourceFilter.properties, ...paging },
    responses: { 200: json("The resources.", Resources) },
    async handle(call) {
      const { state } = call.project;
      const { key, q, where, sort, limit = PAGE, offset = 0 } = call.query;
      const isWhere = where === undefined ? undefined : compileWhere([where], {});
      const order = sort === undefined ? undefined : compileSort([sort]);
      const text = q?.toLowerCase();
      const hasText = ({ id, key = "" }: ResourceRecord) =>
        text === undefined || id.toLowerCase().includes(text) || key.toLowerCase().includes(text);
      const matches = (record: ResourceRecord) => hasText(record) && (isWhere?.(record) ?? true);
      const byKey = key === undefined ? undefined : resourceByKey(state, key);
      const records = key === undefined ? state.resources.values() : byKey ? [byKey] : [];
      const isFiltered = key !== undefined || text !== undefined || isWhere !== undefined;
      const { selected, total } = await selectRecords(records, {
        limit,
        offset,
        withTotal: true,
        order,
        slice: effortOf(call),
        ...(isFiltered ? { matches } : { total: state.resources.size }),
      });
      return list("resources", selected, total);
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
      const { key, records } = await step((of) => ({ key: of.key, records: add(of, [body], () => "") }));
      const [record] = records;
      const [project, id] = [key, record?.id ?? ""].map((text) => encodeURIComponent(text.toWellFormed()));
      const location = `/__admin/projects/${project}/resources/${id}`;
      return created(record, { Location: location, ...(record && { ETag: entityTag(record) }) });
    },
  }),

  readResource: inProject("GET", "/resources/{id}", {
    summary: "Return a stored resource",
    description: "An unknown id is 404: this call creates no resource from the fixture.",
    pathParameters,
    responses: { 200: json("The resource.", Resource, { headers: tagged }) },
    handle({ project, path }) {
      const record = resourceById(project.state, path.id);
      if (!record) throw unknownResource(path.id);
      return { ...ok(record), headers: { ETag: entityTag(record) } };
    },
  }),

  resourceHistory: inProject("GET", "/resources/{id}/history", {
    summary: "Return the versions of a resource, newest first",
    description:
      "Each with the request that wrote it, as far as the journal keeps changes. Also for a deleted resource.",
    pathParameters,
    responses: { 200: json("The versions.", listOf("versions", ResourceVersion)) },
    handle({ project, path: { id } }) {
      const versions = versionsOf(project.history, id);
      if (versions.length === 0 && !resourceById(project.state, id)) throw unknownResource(id);
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
    headers,
    responses: { 412: hasChanged },
    handle({ project, path, header }) {
      const existed = project.change((state) => removeRecord(state, path.id, header("if-match")));
      if (!existed) throw unknownResource(path.id);
    },
  }),
};

/** Returns the entity tag of a resource. It depends on the content, as a client can replace a resource without a new version. */
function entityTag(record: ResourceRecord): string {
  return tagOf(JSON.stringify(record));
}

/**
 * Throws PreconditionFailed if the record does not match the header `If-Match` (RFC 9110, 13.1.1). Throws InvalidField for
 * an invalid header. Without the header, every record matches.
 */
function requireMatch(ifMatch: string | undefined, record: ResourceRecord | undefined): void {
  if (ifMatch === undefined) return;
  const isAny = ifMatch === "*";
  if (!isAny && !/^(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*$/.test(ifMatch)) {
    throw invalid("If-Match", `expected * or entity tags, found ${shown(ifMatch)}`);
  }
  const tags: readonly string[] = ifMatch.match(/(W\/)?"[^"]*"/g) ?? [];
  if (record && (isAny || tags.includes(entityTag(record)))) return;
  const found = record ? `another tag, ${entityTag(record)}: the resource has changed` : "no resource";
  const message = `If-Match: expected the tag of the stored resource, found ${found}. Read the resource again`;
  throw new ServiceError({ code: "PreconditionFailed", message, field: "If-Match" });
}

function versionsOf(history: History, id: string): ResourceVersion[] {
  return history.list().flatMap(({ at, author, number, changes }) => {
    const { by, request, method, path, client } = author;
    const write = { writtenAt: new Date(at).toISOString(), moment: number, by, request, method, path, client };
    const ofResource = changes.filter(isResource).filter((change) => change.id === id);
    return ofResource.reverse().map(({ after }) => ({
      version: versionOf(after) ?? null,
      ...write,
      ...(isCut(after) ? { cut: after.cut } : { resource: after?.[1] }),
    }));
  });
}

function added(records: readonly ResourceRecord[]): ControlResponse {
  return { ...list("resources", records), status: 201 };
}

/**
 * Creates or replaces the record with this id. Throws DuplicateValue if another resource has the key, and
 * PreconditionFailed if the record does not match the header `If-Match`.
 */
export function writeRecord(
  { clock }: Project,
  state: StateDraft,
  draft: RecordDraft & { id: string },
  ifMatch?: string,
): { record: ResourceRecord; isNew: boolean } {
  const before = resourceById(state.state, draft.id);
  requireMatch(ifMatch, before);
  const holder = draft.key === undefined ? undefined : resourceByKey(state.state, draft.key);
  if (holder && holder.id !== draft.id) throw new ServiceError(taken("/key", "key", draft.key));
  const version = draft.version ?? (before ? nextVersion(before) : 1);
  const now = clock.timestamp();
  const createdAt = draft.createdAt ?? before?.createdAt ?? now;
  const lastModifiedAt = draft.lastModifiedAt ?? now;
  const record = recordOf({ ...draft, version, createdAt, lastModifiedAt }, { id: draft.id, now });
  state.put(record);
  return { record, isNew: !before };
}

/**
 * Deletes a record of any version. Returns whether the record existed. Throws PreconditionFailed if the record does not
 * match the header `If-Match`.
 */
export function removeRecord(state: StateDraft, id: string, ifMatch?: string): boolean {
  const record = resourceById(state.state, id);
  requireMatch(ifMatch, record);
  if (!record) return false;
  state.remove(id);
  return true;
}

/**
 * Adds all records or none, and returns them. `pointer` returns the JSON pointer of a draft in the body.
 *
 * Throws InvalidField for ids and keys that occur twice in the list. Throws DuplicateValue for ids and keys that other
 * resources have.
 */
function add(project: Project, drafts: readonly RecordDraft[], pointer: (index: number) => string): ResourceRecord[] {
  const repeated = [...duplicates(drafts, "id", ""), ...duplicates(drafts, "key", "")];
  if (repeated.length > 0) throw new ServiceError(repeated.map(bodyViolation));
  return project.change((state) => {
    const problems: ErrorDetail[] = [];
    for (const [index, { id, key }] of drafts.entries()) {
      if (id !== undefined && state.state.ids.has(id)) problems.push(taken(`${pointer(index)}/id`, "id", id));
      if (key !== undefined && state.state.keys.has(key)) problems.push(taken(`${pointer(index)}/key`, "key", key));
    }
    if (problems.length > 0) throw new ServiceError(problems);
    return store(project, state, drafts);
  });
}

function store(project: Project, state: StateDraft, drafts: Iterable<RecordDraft>): ResourceRecord[] {
  const now = project.clock.timestamp();
  return Array.from(drafts, (draft) => {
    const record = recordOf(draft, { id: draft.id ?? project.newId(state), now });
    state.put(record);
    return record;
  });
}

async function generate(step: ControlCall["step"], { generate: count, seed }: Generate): Promise<ResourceRecord[]> {
  const { generateRecords } = await import("../state/generate/index.ts");
  const ownSeed = await step((project) => Number.parseInt(shortHash(project.seedText("generated")), 16));
  // Outside of a step, as this takes long.
  const contents = await generateRecords(count, seed ?? ownSeed);
  return step((project) =>
    project.change((state) => {
      const drafts = contents.values().map(({ name, objectTypeProperty }) => {
        const id = project.newId(state);
        const key = `${name}-${id.slice(0, UNIQUE_PART)}`;
        if (state.state.keys.has(key)) throw new ServiceError(taken("/generate", "key", key));
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
