import { useId, useState } from "preact/hooks";
import { searchProjects } from "../live/project-session.ts";
import { useContract, useLoaded, useSession } from "../live/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { hrefOf, navigate, projectViews, type Route, titles } from "../route.ts";

interface Target {
  readonly kind: string;
  readonly text: string;
  readonly to: Partial<Route>;
}

/** The most targets in the list, and of each kind. */
const MAX_SHOWN = { all: 40, each: 12 };

/** Opens a project, a view, an operation, a scenario or a request by a part of its name. */
export function Palette({ project, onClose }: { project: string | undefined; onClose: () => void }) {
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const id = useId();
  const targets = useTargets(project, text.trim());
  const selected = Math.min(index, targets.length - 1);
  const open = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    navigate(target.to);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(targets[selected]);
    else if (step) setIndex(Math.max(0, Math.min(targets.length - 1, selected + step)));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Open" kind="palette" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Open a project, view, operation, scenario or request"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
        placeholder="Project, view, operation, scenario or request id"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={press}
      />
      <div id={id} role="listbox" aria-label="Results" class="palette-list">
        {targets.map((target, place) => (
          <a
            key={`${target.kind} ${target.text}`}
            id={`${id}-${place}`}
            class="option"
            role="option"
            tabIndex={-1}
            aria-selected={place === selected}
            href={hrefOf(target.to)}
            ref={(element) => void (place === selected && element?.scrollIntoView({ block: "nearest" }))}
            onClick={onClose}
          >
            <span class="key">{target.text}</span>
            <span class="quiet">{target.kind}</span>
          </a>
        ))}
      </div>
      {targets.length === 0 && <p class="quiet">Nothing found.</p>}
      <p class="quiet">Elsewhere: / searches, P finds a project, J and K open the next and the previous item.</p>
    </Dialog>
  );
}

/** Returns what the text can mean, the most likely first. */
function useTargets(project: string | undefined, text: string): Target[] {
  const { client, connection } = useSession();
  const contract = useContract();
  const scenarios = useLoaded(() => client.scenarios.list());
  const projects = useLoaded(
    () => searchProjects(connection, { q: text || undefined, sort: "activity", limit: MAX_SHOWN.each }),
    [],
    [text],
  );
  const requests = useLoaded(
    async () =>
      /^[\da-f]{8}-\d+$/i.test(text) ? (await client.requests.page({ q: text, limit: 5, brief: true })).requests : [],
    [],
    [text],
  );
  const owner = project ?? projects.value?.projects[0]?.key ?? "demo";
  const named: Target[] = [
    ...projectViews.map((view) => ({ kind: `view of ${owner}`, text: titles[view], to: { project: owner, view } })),
    ...(contract.value ?? []).map(({ id: item, summary }) => ({
      kind: "operation",
      text: `${item} – ${summary}`,
      to: { project: owner, view: "api" as const, item },
    })),
    ...(scenarios.value ?? []).map(({ name }) => ({
      kind: "scenario",
      text: name,
      to: { project: owner, view: "scenarios" as const, filter: { scenario: name } },
    })),
  ];
  const words = text.toLowerCase().split(/\s+/);
  return [
    ...(requests.value ?? []).map(({ id, method, path, project: key }) => ({
      kind: `request of ${key}`,
      text: `${id} ${method} ${path}`,
      to: { project: key, item: id },
    })),
    ...(projects.value?.projects ?? []).map(({ key }) => ({ kind: "project", text: key, to: { project: key } })),
    ...named.filter((target) => words.every((word) => target.text.toLowerCase().includes(word))),
  ].slice(0, MAX_SHOWN.all);
}
