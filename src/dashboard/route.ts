import { useEffect, useState } from "preact/hooks";

/** The tabs of a project's page, as named in the URL. */
export const parts = ["requests", "scenarios", "state", "coverage", "settings"] as const;
export type Part = (typeof parts)[number];

/** The location within the dashboard. The fragment of the URL holds it, so bookmarks, links and the back button work. */
export interface Route {
  /** Without a project, the page shows the overview of all projects. */
  readonly project?: string;
  readonly part: Part;
  /** The id of the open request or resource. */
  readonly item?: string;
}

/** Returns the URL fragment for a route. */
export function hrefOf({ project, part, item }: Partial<Route>): string {
  const segments = project === undefined ? [] : ["projects", project, part, item];
  return `#/${segments
    .filter((segment) => segment !== undefined)
    .map(encodeURIComponent)
    .join("/")}`;
}

/** Returns the route for a URL fragment. An unknown fragment leads to the overview. */
export function routeOf(hash: string): Route {
  const [, first, project, part, item] = hash.split("/").map(decoded);
  if (first !== "projects" || !project) return { part: "requests" };
  return { project, part: parts.find((each) => each === part) ?? "requests", item: item || undefined };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the current route, and renders again when the URL fragment changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    // The fragment may have changed between the first rendering and this effect.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
