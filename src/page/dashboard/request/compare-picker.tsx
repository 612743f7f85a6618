import { useState } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";

interface ComparePickerProps {
  readonly project: string;
  readonly entry: RequestEntry;
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
}

/** The number of requests in the list. The search finds the others. */
const MAX_SHOWN = 50;

/** A dialog to choose the request of the same project that the open one is compared with. */
export function ComparePicker({ project, entry, onPick, onClose }: ComparePickerProps) {
  const controls = useProject(project);
  const [isSamePath, setSamePath] = useState(true);
  const [text, setText] = useState("");
  const q = text.trim() || undefined;
  const path = isSamePath ? entry.request.path : undefined;
  const found = useLoaded(
    () => controls.requests.page({ q, path, limit: MAX_SHOWN, brief: true }),
    () => false,
    [q, path],
  );
  return (
    <Dialog title="Compare with" kind="wide" onClose={onClose}>
      <div class="bar">
        <input
          type="search"
          aria-label="Search requests to compare with"
          placeholder="Search path, query and bodies"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <label>
          <input type="checkbox" checked={isSamePath} onChange={(event) => setSamePath(event.currentTarget.checked)} />
          Same path only
        </label>
      </div>
      <Loading of={found}>
        {({ requests, total }) => {
          const others = requests.filter(({ id }) => id !== entry.id);
          if (others.length === 0) return <p class="quiet">No other requests.</p>;
          return (
            <>
              <ul class="plain request-picker">
                {others.map(({ id, method, path, query, status, serverTime }) => (
                  <li key={id}>
                    <button type="button" class="quiet" onClick={() => onPick(id)}>
                      <Time of={serverTime} />
                      <span class="status" data-class={Math.floor(status / 100)}>
                        {status || "broken"}
                      </span>
                      <span class="request-picker-target">
                        {method} {path}
                        {query && `?${query}`}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
              {total > requests.length && (
                <p class="quiet">
                  The newest {requests.length} of {total.toLocaleString("en")} requests.
                </p>
              )}
            </>
          );
        }}
      </Loading>
    </Dialog>
  );
}
