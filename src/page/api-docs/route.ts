import { useLayoutEffect, useState } from "preact/hooks";
import { type ApiName, apiNames } from "./document.ts";

/** The location within the page. The fragment of the URL holds it, so links, bookmarks and the back button work. */
export interface Route {
  /** Without an API, the page shows both. */
  readonly api?: ApiName;
  /** The id of the open operation. */
  readonly operation?: string;
}

/** Returns the URL fragment for a route. */
export function hrefOf({ api, operation }: Route): string {
  return `#/${[api, operation].filter((part) => part !== undefined).join("/")}`;
}

function routeOf(hash: string): Route {
  const [first, second] = hash.replace(/^#\/?/, "").split("/");
  const api = apiNames.find((name) => name === first);
  return { api, operation: api && (second || undefined) };
}

/** Returns the current route, and renders again when the URL fragment changes. */
export function useRoute(): Route {
  return routeOf(useHash());
}

/** Returns the URL fragment of the page, and renders again when it changes. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return hash;
}
