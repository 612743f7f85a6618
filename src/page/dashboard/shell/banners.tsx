import { useLayoutEffect, useState } from "preact/hooks";
import type { ProjectSummary } from "../../../control/client/index.ts";
import { isOf, useLoaded } from "../live/loaded.ts";
import { useEvents, useLive } from "../live/session.ts";
import { PlainButton } from "../parts/action.tsx";
import { Time } from "../parts/time.tsx";

/** Says that the mock is silent, has restarted, or cannot save its projects. Shows nothing otherwise. */
export function Banners() {
  const live = useLive();
  const { health, isConnected, lastSign, hasRestarted } = live;
  const [isRead, setRead] = useState(false);
  // The health changes with these events, long before the page reads it again.
  useEvents((events) => events.some((event) => isOf(event, undefined, "storage")) && live.retry());
  return (
    <>
      {!isConnected && health && <Silence since={lastSign} onRetry={live.retry} />}
      {isConnected && hasRestarted && !isRead && (
        <div class="banner" role="status">
          The mock restarted. Projects that it had only in memory are gone.
          <PlainButton onClick={() => setRead(true)}>Dismiss</PlainButton>
        </div>
      )}
      {health?.unsaved && (
        <div class="banner" role="alert">
          Not saved: {health.unsaved.problem}
        </div>
      )}
      {health?.unreadable && (
        <div class="banner" role="alert">
          Not restored: {health.unreadable.problem}
        </div>
      )}
    </>
  );
}

/** Shown from the first missing response on, with the seconds since the last one. */
function Silence({ since, onRetry }: { since: number; onRetry: () => void }) {
  const [now, setNow] = useState(Date.now());
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.round((now - since) / 1000);
  // A connection that opens within a second, as after a tab was hidden, is no news.
  if (seconds < 2) return null;
  return (
    <div class="banner" role="alert">
      <span>
        No sign of the mock for {seconds} s. <span class="quiet">The page shows what it knew, and tries again.</span>
      </span>
      <button type="button" onClick={onRetry}>
        Retry now
      </button>
    </div>
  );
}

/** Says which archive the project was restored from, and when. Nothing for other projects. */
export function FromArchive({ summary }: { summary: () => Promise<ProjectSummary | undefined> }) {
  const { value } = useLoaded(summary, ["project"]);
  const { test, savedAt, file, restoredAt } = value?.archive ?? {};
  // An undo restores an archive that no file and no test has named.
  if (test === undefined && file === undefined && savedAt === undefined) return null;
  return (
    <p class="from-archive">
      <span class="badge">Archive</span> {test === undefined ? "Restored from an archive" : "Failed test "}
      <b>
        <bdi>{test}</bdi>
      </b>
      <span class="quiet">
        {savedAt !== undefined && [", saved ", <Time key="saved" of={savedAt} as="full" />]}
        {file !== undefined && [", from the file ", <bdi key="file">{file}</bdi>]}
        {restoredAt !== undefined && [", opened ", <Time key="opened" of={restoredAt} as="full" />]}
      </span>
    </p>
  );
}
