import { Api } from "../api/api.tsx";
import { Coverage } from "../coverage/coverage.tsx";
import { useSession } from "../live/session.ts";
import { Button } from "../parts/action.tsx";
import { Requests } from "../requests/requests.tsx";
import { allProjectsViews, type Route } from "../route.ts";
import { Scenarios } from "../scenarios/scenarios.tsx";
import { Tabs } from "./tabs.tsx";

/** The page of all projects: their requests, the scenarios that are active for all of them, and their coverage. */
export function AllProjectsPage({ route }: { route: Route }) {
  const { client } = useSession();
  return (
    <>
      <div class="title">
        <h1>All projects</h1>
        <Button
          run={client.reset}
          kind="danger"
          confirm={{ question: "Reset every project to its initial state?", yes: "Reset all projects" }}
          done="All projects are reset"
        >
          Reset all
        </Button>
      </div>
      <Tabs of="all projects" views={allProjectsViews} selected={route.view} />
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
    case "coverage":
      return <Coverage route={route} />;
    default:
      return <Requests route={route} />;
  }
}
