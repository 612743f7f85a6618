import { Api } from "../api/api.tsx";
import { useSession } from "../live/session.ts";
import { Overview } from "../overview/overview.tsx";
import { Failure, useAction } from "../parts/action.tsx";
import { useConfirm } from "../parts/dialog.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Requests } from "../requests/requests.tsx";
import { allProjectsViews, hrefOf, type Route } from "../route.ts";
import { Scenarios } from "../scenarios/scenarios.tsx";
import { titles } from "./titles.ts";

/** The page of all projects: their requests, their failures, and the scenarios that are active for all of them. */
export function AllProjectsPage({ route }: { route: Route }) {
  const { client } = useSession();
  const confirm = useConfirm();
  const action = useAction();
  const reset = async () => {
    const question = "Reset every project to its initial state? This cannot be undone.";
    if (await confirm({ question, yes: "Reset all projects" }))
      await action.run(client.reset, "All projects are reset");
  };
  return (
    <>
      <div class="title">
        <h1>All projects</h1>
        <span class="spacer" />
        <Menu
          label="Commands for all projects"
          kind="quiet icon"
          items={(close) => (
            <MenuItem close={close} kind="danger" onClick={reset}>
              Reset all projects…
            </MenuItem>
          )}
        >
          …
        </Menu>
      </div>
      <Failure of={action} />
      <Tabs
        label="Views of all projects"
        tabs={allProjectsViews.map((view) => ({
          text: titles[view],
          href: hrefOf({ view }),
          isOpen: view === route.view,
        }))}
      />
      <AllProjectsView route={route} />
    </>
  );
}

function AllProjectsView({ route }: { route: Route }) {
  switch (route.view) {
    case "api":
      return <Api route={route} />;
    case "scenarios":
      return <Scenarios route={route} />;
    case "overview":
      return <Overview route={route} />;
    default:
      return <Requests route={route} />;
  }
}
