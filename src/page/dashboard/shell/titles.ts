import type { View } from "../route.ts";

/** The names of the views, as their tabs show them. */
export const titles: Readonly<Record<View, string>> = {
  requests: "Requests",
  overview: "Overview",
  scenarios: "Scenarios",
  state: "State",
  api: "API",
  settings: "Settings",
};
