import { type ErrorDetail, ServiceError } from "../contract/service-error.ts";
import { bodyViolation } from "../engine/validate.ts";
import type { Project } from "../projects/project.ts";
import { shortHash } from "../projects/random.ts";
import { duplicates } from "../state/document.ts";
import { type RecordDraft, type ResourceRecord, recordOf } from "../state/record.ts";
import { shown } from "../text/shown.ts";
import { type ControlAnswer, created, done, ok, type ProjectHandler, page } from "./control.ts";
import { invalid, notFound } from "./problem.ts";
import { RESOURCE_PAGE } from "./project-operations.ts";
import type { Generate } from "./schemas.ts";

export const listResources: ProjectHandler = async (call) => {
  const { store } = call.project;
  const { key } = call.query as { key?: string };
  if (key === undefined) return ok(page("resources", [...(await store.list())], call, RESOURCE_PAGE.default));
  const record = await store.getByKey(key);
  return ok(page("resources", record ? [record] : [], call, RESOURCE_PAGE.default));
};

export const addResources: ProjectHandler = async ({ project, body }) => {
  if (Array.isArray(body)) return added(await add(project, body, (index) => `/${index}`));
  if ("generate" in (body as RecordDraft | Generate)) return added(await generate(project, body as Generate));
  const [record] = await add(project, [body as RecordDraft], () => "");
  const location = `/__admin/projects/${segment(project.key)}/resources/${segment(record?.id ?? "")}`;
  return created(record, { Location: location });
};

export const readResource: ProjectHandler = async ({ project, path: { id = "" } }) => {
  const record = await project.store.get(id);
  if (!record) throw unknownResource(id);
  return ok(record);
};

export const writeResource: ProjectHandler = async ({ project, path: { id = "" }, body }) => {
  const draft = body as RecordDraft;
  if (draft.id !== undefined && draft.id !== id) throw invalid("/id", `expected the path's ${shown(id)} or nothing`);
  if (id.length > MAX_ID) throw invalid("id", `expected at most ${MAX_ID} characters, found ${id.length}`);
  const { record, isNew } = await writeRecord(project, { ...draft, id });
  return isNew ? created(record) : ok(record);
};

export const removeResource: ProjectHandler = async ({ project, path: { id = "" } }) => {
  if (!(await removeRecord(project, id))) throw unknownResource(id);
  return done;
};

/** As long as an id may be in a draft. */
const MAX_ID = 256;

/** Writes a whole record under its id, whatever is there. Throws DuplicateValue when the key is another's. */
export async function writeRecord(
  { store, clock }: Project,
  draft: RecordDraft & { id: string },
): Promise<{ record: ResourceRecord; isNew: boolean }> {
  for (;;) {
    const before = await store.get(draft.id);
    const version = draft.version ?? (before ? before.version + 1 : 1);
    const now = clock.timestamp();
    const createdAt = draft.createdAt ?? before?.createdAt ?? now;
    const lastModifiedAt = draft.lastModifiedAt ?? now;
    const record = recordOf({ ...draft, version, createdAt, lastModifiedAt }, { id: draft.id, now });
    const result = await store.compareAndSet(record.id, before?.version ?? 0, record);
    if (result === "done") return { record, isNew: !before };
    if (result === "key-taken") throw new ServiceError(taken("/key", "key", draft.key));
  }
}

/** Deletes a record, whatever its version. Whether there was one. */
export async function removeRecord({ store }: Project, id: string): Promise<boolean> {
  for (;;) {
    const record = await store.get(id);
    if (!record) return false;
    if ((await store.compareAndSet(id, record.version, undefined)) === "done") return true;
  }
}

/**
 * Adds records, all or none; `pointer` is where each draft stands in the body. Throws InvalidField for ids and keys that
 * the list has twice, and DuplicateValue for those that other resources have. Ids are given out only once all is well,
 * so that a refused call leaves no trace in those to come.
 */
async function add(
  project: Project,
  drafts: readonly RecordDraft[],
  pointer: (index: number) => string,
): Promise<ResourceRecord[]> {
  const { store, clock } = project;
  const twice = [...duplicates(drafts, "id", ""), ...duplicates(drafts, "key", "")];
  if (twice.length > 0) throw new ServiceError(twice.map(bodyViolation));
  for (;;) {
    const problems: ErrorDetail[] = [];
    for (const [index, { id, key }] of drafts.entries()) {
      if (id !== undefined && (await store.get(id))) problems.push(taken(`${pointer(index)}/id`, "id", id));
      if (key !== undefined && (await store.getByKey(key))) problems.push(taken(`${pointer(index)}/key`, "key", key));
    }
    if (problems.length > 0) throw new ServiceError(problems);
    const now = clock.timestamp();
    const records: ResourceRecord[] = [];
    for (const draft of drafts) records.push(recordOf(draft, { id: draft.id ?? (await freeId(project)), now }));
    // Refused only when somebody else was quicker with one of them: look again.
    if (await store.addAll(records)) return records;
  }
}

async function generate(project: Project, { generate: count, seed }: Generate): Promise<ResourceRecord[]> {
  const { generateRecords } = await import("../generate/records.ts");
  const contents = await generateRecords(count, seed ?? Number.parseInt(shortHash(project.seedText("generated")), 16));
  const drafts: RecordDraft[] = [];
  for (const { name, objectTypeProperty } of contents) {
    const id = await freeId(project);
    drafts.push({ id, key: `${name}-${id.slice(0, UNIQUE_PART)}`, objectTypeProperty });
  }
  return add(project, drafts, (index) => `/${index}`);
}

/** So much of an id tells 100,000 resources of a name apart. */
const UNIQUE_PART = "00000000-0000".length;

/** The project's next id that no resource has: an import may have brought any. */
async function freeId(project: Project): Promise<string> {
  for (;;) {
    const id = await project.newId();
    if (!(await project.store.get(id))) return id;
  }
}

function added(records: readonly ResourceRecord[]): ControlAnswer {
  return created({ resources: records, total: records.length });
}

function taken(pointer: string, member: "id" | "key", value: unknown): ErrorDetail {
  const message = `${pointer}: another resource has the ${member} ${shown(value)}`;
  return { code: "DuplicateValue", message, field: pointer };
}

function unknownResource(id: string): ServiceError {
  return notFound(`There is no resource with the id ${shown(id)}`);
}

function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
