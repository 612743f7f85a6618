import { MAX_BRACKETS, MAX_JSON_MEMBERS } from "../limits.ts";

/** A text of a field. */
export interface FieldText {
  /** The names in brackets: `b` and an empty one for `a[b][]=x`. */
  readonly path: readonly string[];
  readonly text: string;
  /** Returns the parts of the text between its commas. An encoded comma is part of an item. */
  readonly items: () => readonly string[];
}

/** The texts of a query, form, cookie or another list of pairs, by their names without brackets. */
export type Fields = ReadonlyMap<string, readonly FieldText[]>;

type Decode = (text: string) => string;
type Pair = readonly [name: string, text: string];

/** Returns the text behind a percent-encoded text of a form, where `+` is a space. Invalid encodings stay as they are. */
export function decodeForm(text: string): string {
  return /[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get("") ?? "") : text;
}

/** Returns the pairs of a text such as a query, with decoded names and encoded values. */
export function pairsOf(text: string, separator: string, decode: Decode): Pair[] {
  const pairs = text.split(separator, MAX_JSON_MEMBERS + 1).filter((each) => each !== "");
  return pairs.map((pair) => {
    const [name = "", ...rest] = pair.split("=");
    return [decode(name), rest.join("=")];
  });
}

/** Returns the fields of these pairs. A name in brackets belongs to the name before them, unless the whole is declared. */
export function fieldsOf(pairs: readonly Pair[], declared: ReadonlySet<string>, decode: Decode): Fields {
  const fields = new Map<string, FieldText[]>();
  for (const [name, text] of pairs) {
    const [root, ...path] = declared.has(name) ? [name] : namesIn(name);
    const texts = fields.get(root) ?? [];
    texts.push({ path, text: decode(text), items: () => text.split(",", MAX_JSON_MEMBERS + 1).map(decode) });
    fields.set(root, texts);
  }
  return fields;
}

/** Returns the name before the brackets, and those in them. */
export function namesIn(name: string): [root: string, ...path: string[]] {
  const [, root = name, brackets] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const path = brackets?.slice(1, -1).split("][") ?? [];
  return path.length > MAX_BRACKETS ? [name] : [root, ...path];
}
