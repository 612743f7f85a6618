import { isObject, matches, type ResourceType, valueAt } from "../../contract/index.ts";
import { newIdIn, type StateDraft } from "../draft.ts";
import type { Item } from "../item.ts";
import { contentOf } from "../resource-record.ts";
import type { CollectionName } from "../state-value.ts";
import { corrected } from "./complete.ts";
import { idParts, joinedId, ordered, partsIn, withAlternates } from "./item-id.ts";
import { withKnown } from "./known-members.ts";
import { formOf, isScalar, typedText } from "./parts.ts";

/** How a new item comes into being. */
export interface Making {
  readonly draft: StateDraft;
  readonly collection: CollectionName;
  /** RFC 3339. */
  readonly now: string;
  idOf(number: number): string;
  /** Returns the content of another item of the type, for the members that are missing. */
  templateOf(type: ResourceType): unknown;
  /** The id, if the path has it. */
  readonly id?: string | undefined;
  /** The ids that other new items are going to have. */
  readonly taken?: ReadonlySet<string | undefined>;
  readonly hidden?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns a new item with this content, which the schema of the type has taken, and with what it lacks. */
export function makeItem(type: ResourceType, taken: unknown, making: Making): Item {
  const { draft, collection, now, idOf, hidden } = making;
  const template = type.draft ? undefined : making.templateOf(type);
  const id = making.id ?? idFor(type, taken, template, making);
  const known = { id, version: 1, createdAt: now, lastModifiedAt: now, ...(hidden && { hidden }) };
  if (!isObject(taken) && (taken !== undefined || !isObject(template ?? {}))) {
    const named = making.id === undefined ? undefined : typedText(type.schema, id);
    return { ...known, content: taken ?? (matches(type.schema ?? {}, named) ? named : template) };
  }
  const { schema = {} } = type;
  const given = contentOf(type, known, taken ?? {});
  // The service itself completes its drafts. Without this line, a create is a sixth slower.
  if (type.draft) return { ...known, content: given };
  const number = draft.in(collection).facts.created + 1;
  const isOwn = idParts(type).every(({ member }) => member === undefined);
  const uuid = (member: string) => (isOwn && member === "id" && id ? id : idOf(draft.nextNumber()));
  const facts = { now, number, uuid };
  const filled = withKnown(formOf(schema, given), given, facts, template);
  const content = corrected(schema, filled, [template], given);
  return withAlternates(type, { ...known, content: ordered(type, content) }, draft.in(collection));
}

/** Returns the id that the content has. If it has no part of it, returns a new one; missing parts are those of the template. */
function idFor(type: ResourceType, taken: unknown, template: unknown, making: Making): string {
  const { draft, collection, idOf } = making;
  if (type.kind === "singleton") return "";
  const sent = partsIn(type, taken);
  const isSent = sent.some((part) => part !== undefined);
  const given = idParts(type).map(({ member }, index) => {
    const value = member && (isSent || index < sent.length - 1) ? valueAt(template, member) : undefined;
    return sent[index] ?? (isScalar(value) ? String(value) : undefined);
  });
  const whole = given.filter((part) => part !== undefined);
  if (whole.length === given.length) return joinedId(whole);
  return newIdIn(draft, collection, type, idOf, making.taken, { given, sample: template });
}
