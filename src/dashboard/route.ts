import { useEffect, useState } from "preact/hooks";

/** The parts of a project's page, as its tabs and the address name them. */
export const parts = ["requests", "scenarios", "state", "coverage", "settings"] as const;
export type Part = (typeof parts)[number];

/** What the page shows. It stands in the address's fragment, so that it can be kept, sent and gone back to. */
export interface Route {
  /** Without one, all of them are shown. */
  readonly project?: string;
  readonly part: Part;
  /** The request or resource that is open. */
  readonly item?: string;
}

/** The address of what a route shows. */
export function hrefOf({ project, part, item }: Partial<Route>): string {
  const segments = project === undefined ? [] : ["projects", project, part, item];
  return `#/${segments
    .filter((segment) => segment !== undefined)
    .map(encodeURIComponent)
    .join("/")}`;
}

/** What an address shows; what it does not understand is the overview. */
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

/** The route that the page is at. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    // The address may have changed since the first rendering, which effects follow by a frame.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
