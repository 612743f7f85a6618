import { hrefOf, type View } from "../route.ts";

const titles: Readonly<Record<View, string>> = {
  requests: "Requests",
  scenarios: "Scenarios",
  state: "State",
  api: "API",
  coverage: "Coverage",
  settings: "Settings",
};

interface TabsProps {
  /** The project, or "all projects", for the accessible name. */
  readonly of: string;
  readonly project?: string;
  readonly views: readonly View[];
  readonly selected: View;
}

/** Links to the views of a page. */
export function Tabs({ of, project, views, selected }: TabsProps) {
  return (
    <nav class="tabs" aria-label={`Views of ${of}`}>
      {views.map((view) => (
        <a key={view} href={hrefOf({ project, view })} aria-current={view === selected ? "page" : undefined}>
          {titles[view]}
        </a>
      ))}
    </nav>
  );
}
