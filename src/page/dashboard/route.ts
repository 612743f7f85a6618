import { useLayoutEffect, useState } from "preact/hooks";
import { hrefOf, type Route, routeOf } from "../../journal/index.ts";

export { allProjectsViews, hrefOf, projectViews, type Route, routeOf, type View } from "../../journal/index.ts";

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

/** Returns the current route, and renders again when the URL fragment changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(hash);
}
