import { useLayoutEffect, useRef } from "preact/hooks";
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
  const tabs = useRef<HTMLElement>(null);
  // On a phone, the tabs are wider than the window.
  useLayoutEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [selected]);
  return (
    <nav ref={tabs} class="tabs" aria-label={`Views of ${of}`}>
      {views.map((view) => (
        <a key={view} href={hrefOf({ project, view })} aria-current={view === selected ? "page" : undefined}>
          {titles[view]}
        </a>
      ))}
    </nav>
  );
}
