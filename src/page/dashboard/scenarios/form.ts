import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { isObject, join } from "../../../contract/index.ts";
import { requestSettings } from "../../../state/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { conditionsOf } from "./conditions.ts";
import { type At, pointerOf, valueAt } from "./edit.ts";

/** A rule form: the JSON of the rule, which the fields change, and the errors of the last attempt to save it. */
export interface RuleForm {
  /** The rule. Any JSON object: the user may have typed it. */
  readonly rule: unknown;
  /** The operations that the form offers. */
  readonly operations: readonly ApiOperation[];
  /** Sets the rule after a change of the field at this place. `text` is the text of a field for JSON. */
  change(rule: unknown, at: At, text?: string): void;
  /** The texts of fields for JSON as typed, by pointer. If a text is invalid, the rule keeps its last valid value. */
  readonly texts: Readonly<Record<string, string>>;
  /** Returns the messages for the field at this place. */
  errorsAt(at: At): readonly string[];
}

export const FormContext = createContext<RuleForm | undefined>(undefined);

export function useForm(): RuleForm {
  const form = useContext(FormContext);
  if (!form) throw new Error("useForm: expected a FormContext.Provider around the component, found none");
  return form;
}

/** The kinds of responses that a rule can have, in the order of the form. */
export const responseKinds = ["respond", "raw", "fault"] as const;

/** Returns the pointers of the values in a rule that have fields. */
export function placesOf(rule: unknown): Set<string> {
  const places = new Set(["/operation", "/times", "/after", "/probability"]);
  for (const { at, valueAt: inner } of conditionsOf(rule)) places.add(pointerOf(at)).add(pointerOf(inner));
  const sequence = valueAt(rule, ["sequence"]);
  const prefixes: At[] = Array.isArray(sequence) ? sequence.map((_, index) => ["sequence", index]) : [[]];
  for (const prefix of prefixes) for (const at of effectPlaces(rule, prefix)) places.add(pointerOf(at));
  return places;
}

function effectPlaces(rule: unknown, prefix: At): At[] {
  const of = (...at: At) => [...prefix, ...at];
  const get = (...at: At) => valueAt(rule, of(...at));
  const headers = (kind: string) =>
    isObject(get(kind, "headers"))
      ? Object.keys(get(kind, "headers") as object).map((name) => of(kind, "headers", name))
      : [];
  return [
    of("conflict"),
    of("evolve"),
    ...(typeof get("fault") === "string" ? [of("fault")] : []),
    ...(delayKindOf(get("latency")) === "other" ? [] : [of("latency")]),
    ...(isObject(get("respond"))
      ? [of("respond", "status"), of("respond", "fixture"), of("respond", "body"), ...headers("respond")]
      : []),
    ...(isObject(get("raw"))
      ? [of("raw", "status"), of("raw", "body"), of("raw", "bodyBase64"), ...headers("raw")]
      : []),
    ...["numberOfChunks", "totalDuration"].map((name) => of("chunkedDribbleDelay", name)),
    ...Object.keys(requestSettings).map((name) => of("settings", name)),
  ];
}

export const delayKinds = ["", "none", "fixed", "uniform", "lognormal"] as const;

/** Returns the kind of a delay: "" without one, "none" for `null`, "other" if the form has no fields for it. */
export function delayKindOf(latency: unknown): (typeof delayKinds)[number] | "other" {
  if (latency === undefined) return "";
  if (latency === null) return "none";
  const [name, ...others] = isObject(latency) ? Object.keys(latency) : [];
  const known = others.length === 0 && delayKinds.find((kind) => kind === name);
  if (known === "uniform") return Array.isArray(valueAt(latency, ["uniform"])) ? known : "other";
  return known || "other";
}

/** Returns the pointers of the parts of a rule that have no field, the outermost first. */
export function hiddenIn(rule: unknown): string[] {
  const places = placesOf(rule);
  const parents = new Set([...places].flatMap((place) => ancestorsOf(place)));
  const find = (value: unknown, pointer: string): string[] => {
    if (places.has(pointer)) return [];
    if (pointer !== "" && !parents.has(pointer)) return [pointer];
    if (Array.isArray(value)) return value.flatMap((item, index) => find(item, join(pointer, index)));
    if (!isObject(value)) return [pointer];
    return Object.entries(value).flatMap(([name, member]) => find(member, join(pointer, name)));
  };
  return find(rule, "");
}

/** Returns the pointer of the field that shows an error at this pointer: the nearest one around it. */
export function placeOfError(places: ReadonlySet<string>, pointer: string): string | undefined {
  return [pointer, ...ancestorsOf(pointer)].find((each) => places.has(each));
}

/** Returns the pointers around a pointer, innermost first. */
function ancestorsOf(pointer: string): string[] {
  const parent = pointer.slice(0, Math.max(pointer.lastIndexOf("/"), 0));
  return parent === "" ? [] : [parent, ...ancestorsOf(parent)];
}
