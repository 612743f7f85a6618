import { useLayoutEffect, useState } from "preact/hooks";
import { control, type Match, path, type Rule, type Verdict } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { messageOf } from "../parts/action.tsx";
import { counted } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { textOf } from "./conditions.ts";

/** The time after the last change until the rule is checked, in milliseconds. */
const PAUSE_MS = 250;
/** More requests than a journal has, so that the verdict has the nearest one that does not match. */
const MORE_THAN_ALL = 1_000_000;

interface Checked {
  /** The problem of the rule; undefined for a valid one. */
  readonly problem?: string;
  readonly requests?: number;
  readonly verdict?: Verdict;
}

/** Says what is wrong with a rule, or which of the recorded requests it matches. Follows the text as the user types. */
export function RuleCheck({ rule }: { readonly rule: Rule }) {
  const text = useSettled(JSON.stringify(rule));
  const { connection } = useSession();
  const controls = useProject();
  const check = async (): Promise<Checked> => {
    const body = JSON.parse(text) as Rule;
    try {
      await control(connection, {
        method: "POST",
        path: path`/projects/${controls.key}/rules`,
        query: { check: true },
        body,
      });
    } catch (error) {
      return { problem: messageOf(error) };
    }
    const { operation, when } = body;
    const match = { ...when, ...(operation !== "*" && operation !== undefined && { operation }) } as Match;
    const [verdict, { total }] = await Promise.all([
      controls.verify({ match, atLeast: MORE_THAN_ALL }),
      controls.requests.page({ limit: 1, brief: true }),
    ]);
    return { requests: total, verdict };
  };
  const { value, error } = useLoaded(check, ["request", "journal"], [text]);
  const { problem = error && messageOf(error), requests, verdict } = value ?? {};
  if (problem) {
    return (
      <p class="failure" role="alert">
        {problem}
      </p>
    );
  }
  if (!verdict || requests === undefined) return <p class="quiet">Checking…</p>;
  return <Matches requests={requests} verdict={verdict} />;
}

function Matches({ requests, verdict }: { readonly requests: number; readonly verdict: Verdict }) {
  const { project } = useSession();
  const nearest = verdict.pass ? undefined : verdict.nearest[0];
  return (
    <div class="notice matches" role="status">
      <p>
        {requests === 0
          ? "No requests are recorded yet."
          : `Matches ${verdict.matched} of the last ${counted(requests, "request")}.`}
      </p>
      {nearest && (
        <p>
          Nearest miss:{" "}
          <a href={hrefOf({ project, item: nearest.request.id })}>
            {nearest.request.request.method} {nearest.request.request.path}
          </a>
          {nearest.differences.slice(0, 3).map(({ pointer, expected, actual }) => (
            <span key={pointer}>
              , <code>{pointer}</code>: expected {textOf(expected)}, found{" "}
              {actual === undefined ? "nothing" : textOf(actual)}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** Returns the last value that has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useLayoutEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
