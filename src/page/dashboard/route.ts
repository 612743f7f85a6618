import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { hrefOf, type Route, routeOf, type View } from "../../journal/index.ts";

export { allProjectsViews, hrefOf, projectViews, type Route, routeOf, type View } from "../../journal/index.ts";

export const titles: Readonly<Record<View, string>> = {
  requests: "Requests",
  failures: "Failures",
  data: "Data",
  mocks: "Mocks",
  api: "API",
  settings: "Settings",
};

/**
 * Opens a route. With `replace`, the back button skips the current route: for changes of a filter while the user types.
 */
export function navigate(to: Partial<Route>, { replace = false } = {}): void {
  const href = hrefOf(to);
  if (href === location.hash) return;
  history[replace ? "replaceState" : "pushState"](history.state, "", href);
  // The browser reports only navigation by links and by the back button.
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export const RouteContext = createContext<Route>(routeOf(""));

export function useRoute(): Route {
  return useContext(RouteContext);
}

/** Returns the route of the URL fragment, and renders again when it changes. */
export function useHash(): Route {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(hash);
}
