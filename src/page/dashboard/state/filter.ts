import type { Route } from "../route.ts";

/** The parts of the view, as the URL names them. */
export const parts = {
  resources: "Resources",
  images: "Images",
  snapshots: "Snapshots",
  action: "Namespace action",
} as const;
export type Part = keyof typeof parts;

/** Returns the open part of the view. */
export function partOf({ filter }: Route): Part {
  return filter.part !== undefined && Object.hasOwn(parts, filter.part) ? (filter.part as Part) : "resources";
}

/** Returns the route of a part. The first part needs no name in the URL. */
export function routeOfPart(project: string, part: Part): Partial<Route> {
  return { project, view: "state", filter: part === "resources" ? {} : { part } };
}

/** The number of items in a page. */
export const PAGE = 50;

/** Returns the number of items before the page that the URL names. */
export function offsetOf({ filter }: Route): number {
  const page = Number(filter.page);
  return Number.isInteger(page) && page > 1 && page < 1e6 ? (page - 1) * PAGE : 0;
}

/** Returns the route with other values in its filter. Every change but that of the page leads to the first page. */
export function withFilter(route: Route, change: Readonly<Record<string, string>>): Route {
  return { ...route, filter: { ...route.filter, page: "", ...change } };
}
