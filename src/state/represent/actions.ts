import { isObject, type MemberPath, matches, type Schema, valueAt } from "../../contract/index.ts";
import { adopt, declaredName } from "./adopt.ts";
import { complete, memberIn } from "./complete.ts";
import { isLasting, type KnownFacts, withKnown } from "./known-members.ts";
import { formOf, isScalar, plainName, schemaAt, withPart } from "./parts.ts";

/* What update actions do, by their names: `setKey`, `changeName`, `addAsset`, `removeAsset`, `setAssetCustomField`. */

type Members = Readonly<Record<string, unknown>>;

/** A value that an action changes: the item, or an element of one of its lists. */
interface Subject {
  readonly schema: Schema;
  readonly value: Members;
  /** Another value of the schema, for the members that new parts lack. */
  readonly template: unknown;
  readonly facts: KnownFacts;
}

/** What an action does: `changeAssetName` is the verb `change` and the noun `AssetName`, with its other members. */
interface Action {
  readonly verb: string;
  readonly noun: string;
  readonly fields: Members;
}

/** Returns the value after an action; undefined if its name does not say what it does, or if it does nothing. */
export function afterAction(subject: Subject, { action, ...fields }: Members): Members | undefined {
  const [, verb = "", noun = ""] = /^(set|change|transition|add|remove)[_-]?(.+)$/i.exec(String(action)) ?? [];
  return noun === "" ? undefined : after(subject, { verb: verb.toLowerCase(), noun, fields });
}

/** Tries the ways to find out what an action does. The first one that does something decides. */
function after(subject: Subject, action: Action): Members | undefined {
  return (
    withCustom(subject, action) ??
    withMember(subject, action) ??
    withElement(subject, action) ??
    withPartOf(subject, action)
  );
}

/** Custom fields: `setCustomType` has their type and all of them, `setCustomField` the name of one and its value. */
function withCustom({ schema, value, template }: Subject, { noun, fields }: Action): Members | undefined {
  const custom = schemaAt(schema, ["custom"], value);
  const { name, value: sent = null, type = null } = fields;
  if (!custom || !/^custom(type|field)$/i.test(noun)) return undefined;
  if (/type$/i.test(noun)) return changed({ schema, value, template }, ["custom"], type && { fields: {}, ...fields });
  return isObject(value.custom) && typeof name === "string"
    ? changed({ schema, value, template }, ["custom", "fields", name], sent)
    : undefined;
}

/** `setX` and `changeX`: the member x becomes the field x or the only field; or each field is a member. */
function withMember(subject: Subject, { verb, noun, fields }: Action): Members | undefined {
  if (verb === "add" || verb === "remove") return undefined;
  const name = memberNamed(subject, noun);
  const own = fieldNamed(fields, noun) ?? (Object.keys(fields).length === 0 ? null : undefined);
  const isOwn = name !== undefined && own !== undefined;
  const named = Object.entries(fields).map(([field, value]) => [memberNamed(subject, field), value] as const);
  let after: Members | undefined = isOwn || named.length > 0 ? subject.value : undefined;
  for (const [member, sent] of isOwn ? [[name, own] as const] : named)
    after = after && member !== undefined ? changed({ ...subject, value: after }, [member], sent) : undefined;
  return after;
}

/** `addX` and `removeX`: the list of x has more elements, or fewer ones. */
function withElement(subject: Subject, { verb, noun, fields }: Action): Members | undefined {
  const list = listNamed(subject, noun);
  if (!list || (verb !== "add" && verb !== "remove")) return undefined;
  const { name, elements, items } = list;
  const sent = fieldNamed(fields, noun);
  if (verb === "remove") {
    const gone = (Array.isArray(sent) ? sent : [sent]).map((each) => indexOf(elements, noun, fields, each));
    const left = elements.filter((_element, index) => !gone.includes(index));
    return left.length < elements.length ? { ...subject.value, [name]: left } : undefined;
  }
  const added = (Array.isArray(sent) ? sent : [sent ?? fields]).map((each) => newElement(subject, list, each));
  const at = Number.isInteger(fields.position) ? Number(fields.position) : elements.length;
  const isValid = added.every((each) => matches(items, each));
  return isValid ? { ...subject.value, [name]: elements.toSpliced(at, 0, ...added) } : undefined;
}

/** `changeXY` and `setXY`: the object x, or the element of the list of x that `xId` names, changes its member y. */
function withPartOf(subject: Subject, { verb, noun, fields }: Action): Members | undefined {
  const words = noun.split(/[_-]|(?<=[a-z\d])(?=[A-Z])/);
  for (let count = words.length; count > 0; count--) {
    const own = words.slice(0, count).join("");
    const path = partNamed(subject, own, fields);
    const value = path && valueAt(subject.value, path);
    const schema = path && schemaAt(subject.schema, path, subject.value);
    if (!schema || !isObject(value)) continue;
    const others = Object.entries(fields).filter(([name]) => !keysOf(own).includes(plainName(name)));
    const [[first, next] = []] = others;
    const isWhole = count === words.length && plainName(first ?? "") === plainName(own) && isObject(next);
    const below = { ...subject, schema, value, template: path.reduce(memberIn, subject.template) };
    const action = { verb, noun: words.slice(count).join(""), fields: Object.fromEntries(others) };
    // The part keeps the id by which the action names it.
    const result = isWhole ? { ...partOf(schema, next, value), id: value.id } : after(below, action);
    if (result && matches(schema, result)) return withPart(subject.value, path, result) as Members;
  }
  return undefined;
}

/** Returns where the object of this name is, or the element of the list of this name that the fields name. */
function partNamed(subject: Subject, noun: string, fields: Members): MemberPath | undefined {
  const list = listNamed(subject, noun);
  if (!list) return [memberNamed(subject, noun) ?? ""];
  const at = indexOf(list.elements, noun, fields);
  return at < 0 ? undefined : [list.name, String(at)];
}

/** Returns the value with another part, as far as the schema takes it; without the part for null. */
function changed({ schema, value, template }: Omit<Subject, "facts">, path: MemberPath, sent: unknown) {
  const part = schemaAt(schema, path, value) ?? {};
  if (part.readOnly || isLasting(path.at(-1) ?? "", part)) return undefined;
  const taken = sent === null ? undefined : partOf(part, sent, path.reduce(memberIn, template));
  return taken === undefined && sent !== null ? undefined : (withPart(value, path, taken) as Members);
}

function partOf(schema: Schema, sent: unknown, template: unknown): Members | undefined {
  const { taken } = adopt(schema, sent, "client");
  return complete(schema, taken, template) as Members | undefined;
}

interface List {
  readonly name: string;
  readonly elements: readonly unknown[];
  readonly items: Schema;
}

function memberNamed({ schema, value }: Subject, noun: string): string | undefined {
  const form = formOf(schema, value);
  const name = declaredName(form, noun);
  return Object.hasOwn(form.properties ?? {}, name) ? name : undefined;
}

/** Returns the list whose elements have this name: `assets` for `Asset`. */
function listNamed(subject: Subject, noun: string): List | undefined {
  const plural = [noun, `${noun}s`, `${noun}es`, noun.replace(/y$/, "ies")];
  const name = plural.flatMap((each) => memberNamed(subject, each) ?? [])[0];
  const { items } = (name === undefined ? undefined : schemaAt(subject.schema, [name], subject.value)) ?? {};
  if (name === undefined || !items) return undefined;
  const { [name]: held } = subject.value;
  return { name, items, elements: Array.isArray(held) ? held : [] };
}

/** Returns the value of the field with this name, or of the only field. */
function fieldNamed(fields: Members, noun: string): unknown {
  const named = Object.keys(fields).find((each) => plainName(each) === plainName(noun));
  const values = Object.values(fields);
  return named === undefined ? (values.length === 1 ? values[0] : undefined) : fields[named];
}

const keysOf = (noun: string): string[] => ["id", "key"].map((each) => plainName(noun) + each);

/** Returns the place of the element that fields name: `assetId`, `assetKey`, or the element itself; -1 without one. */
function indexOf(elements: readonly unknown[], noun: string, fields: Members, sent?: unknown): number {
  const wanted = Object.entries(fields).filter(
    ([name, value]) => keysOf(noun).includes(plainName(name)) && isScalar(value),
  );
  const keys = wanted.map(([name, value]) => ({ [/key$/i.test(name) ? "key" : "id"]: value }));
  const named: readonly object[] = keys.length > 0 ? keys : isObject(sent) ? [sent] : [{ id: sent }];
  const wantedMembers = named.map((each): [string, unknown][] => Object.entries(each));
  const has = (element: unknown, members: [string, unknown][]) =>
    isObject(element) && members.every(([name, value]) => isScalar(value) && element[name] === value);
  return elements.findIndex((each) => (isScalar(sent) && each === sent) || wantedMembers.some((all) => has(each, all)));
}

function newElement(subject: Subject, { name, items, elements }: List, sent: unknown): unknown {
  const template = [name, "0"].reduce(memberIn, subject.template);
  const { taken } = adopt(items, sent, "client");
  if (!isObject(taken)) return taken;
  const facts = { ...subject.facts, number: elements.length + 1 };
  return complete(items, withKnown(formOf(items, taken), taken, facts, template), template);
}
