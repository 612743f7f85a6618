import { JsonView } from "./text.tsx";

export interface DifferenceGroup {
  readonly title?: string;
  readonly differences: readonly Difference[];
}

interface TableProps {
  readonly before: string;
  readonly after: string;
  readonly groups: readonly DifferenceGroup[];
}

export function DifferenceTable({ before, after, groups }: TableProps) {
  return (
    <table class="differences">
      <thead>
        <tr>
          <th scope="col">Place</th>
          <th scope="col">{before}</th>
          <th scope="col">{after}</th>
        </tr>
      </thead>
      {groups.map(({ title, differences }) => (
        <tbody key={title}>
          {title !== undefined && (
            <tr>
              <th scope="rowgroup" colSpan={3}>
                {title}
              </th>
            </tr>
          )}
          {differences.map(({ pointer, before, after }) => (
            <tr key={pointer}>
              <td>
                <code>{pointer === "" ? "whole value" : pointer}</code>
              </td>
              <td>
                <Value of={before} />
              </td>
              <td>
                <Value of={after} />
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

const MAX_VALUE = 300;

function Value({ of }: { of: unknown }) {
  if (of === undefined) return <span class="quiet">absent</span>;
  const text = JSON.stringify(of) ?? "";
  return <code>{text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}</code>;
}

interface ChangeProps {
  /** The values; null if there was none, undefined if the history does not keep it. A long value is cut. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly unit?: string;
}

/** What a change did to a value: the differences or, for a created or deleted value, the whole value. */
export function ChangeView({ before, after, unit = "characters" }: ChangeProps) {
  const cut = [before, after].find(isCut);
  if (cut) {
    const size = cut.cut.toLocaleString("en");
    return (
      <p class="quiet">Not shown: the history keeps only the start of this value, which has {`${size} ${unit}`}.</p>
    );
  }
  if (after === undefined) return <p class="quiet">The history no longer keeps the values.</p>;
  if (before === null || before === undefined || after === null) {
    return (
      <>
        {before === undefined && <p class="quiet">The history has no earlier version.</p>}
        <JsonView value={after ?? before} label={after === null ? "Value before" : "Value after"} />
      </>
    );
  }
  return <DifferenceTable before="Before" after="After" groups={[{ differences: differencesOf(before, after) }]} />;
}

/** Returns whether a value is only the start of a long one. */
function isCut(value: unknown): value is { readonly cut: number; readonly text: string } {
  if (typeof value !== "object" || value === null) return false;
  return "cut" in value && typeof value.cut === "number" && "text" in value && Object.keys(value).length === 2;
}

/** A location where two JSON values differ. An absent value is undefined. */
export interface Difference {
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the locations where two JSON values differ: members and items, in the order of `before`. At most 200. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  return [...differing(before, after, "").take(200)];
}

function* differing(before: unknown, after: unknown, pointer: string): Generator<Difference> {
  if (Object.is(before, after)) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
      yield* differing(memberOf(before, name), memberOf(after, name), `${pointer}/${escaped}`);
    }
  } else yield { pointer, before, after };
}

type Container = { readonly [name: string]: unknown };

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function memberOf(holder: Container, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}
