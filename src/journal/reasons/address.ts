import { percentDecoded } from "../../contract/index.ts";

/** The views of a project, in the order of the navigation. The URL contains these names. */
export const projectViews = ["requests", "failures", "data", "mocks", "api", "settings"] as const;
export type View = (typeof projectViews)[number];

/** The views of all projects. */
export const allProjectsViews = ["requests", "failures", "mocks", "api"] as const satisfies readonly View[];

/** The location within the dashboard. The fragment of the URL holds it, so bookmarks, links and the back button work. */
export interface Route {
  /** Without a project, the page shows all projects. */
  readonly project?: string;
  readonly view: View;
  /** The id of the open request or resource. */
  readonly item?: string;
  /** The project of the open item. Always the same as `project`, if there is one. */
  readonly owner?: string;
  /** The filters of the view, as they stand in the URL. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Returns the URL fragment for a route. Empty filters are left out. */
export function hrefOf({ project, view = "requests", item, owner, filter = {} }: Partial<Route>): string {
  const place = project === undefined ? ["all", view, owner] : ["projects", project, view];
  const path = [...place, item].filter((segment) => segment !== undefined).map(encodeURIComponent);
  const set = Object.entries(filter).filter(([, value]) => value !== "");
  return `#/${path.join("/")}${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`;
}

/** Returns the route for a URL fragment. An unknown fragment leads to the requests of all projects. */
export function routeOf(hash: string): Route {
  const [path = "", ...query] = hash.replace(/^#\/?/, "").split("?");
  const [first, ...rest] = path.split("/").map(percentDecoded);
  const filter = Object.fromEntries(new URLSearchParams(query.join("?")));
  if (first === "projects" && rest[0]) {
    const [project, view, item] = rest;
    return { project, view: viewOf(projectViews, view), item: item || undefined, owner: item && project, filter };
  }
  const [view, owner, item] = first === "all" ? rest : [];
  // An operation belongs to no project.
  if (view === "api") return { view, item: owner || undefined, filter };
  return { view: viewOf(allProjectsViews, view), owner: item && owner, item: item || undefined, filter };
}

/** Former names of views, which links in older reports contain. */
const former: Readonly<Record<string, View>> = { overview: "failures", state: "data", scenarios: "mocks" };

function viewOf(views: readonly View[], name = ""): View {
  const wanted = Object.hasOwn(former, name) ? former[name] : name;
  return views.find((view) => view === wanted) ?? "requests";
}

/** Returns the address of a view on the dashboard of the mock at this URL. */
export function dashboardAddress(mockUrl: string, route: Partial<Route>): string {
  return `${mockUrl.replace(/\/+$/, "")}/__admin/ui${hrefOf(route)}`;
}
