import { SettingsSchema } from "../settings/settings.ts";
import { inProject, json } from "./operation.ts";
import { ok } from "./response.ts";

export const settingsOperations = {
  getSettings: inProject("GET", "/settings", {
    summary: "The project's settings",
    responses: { 200: json("All of them.", SettingsSchema) },
    handle: ({ project }) => ok(project.settings),
  }),

  changeSettings: inProject("PATCH", "/settings", {
    summary: "Change some of the project's settings",
    body: SettingsSchema,
    responses: { 200: json("All of them, as they are now.", SettingsSchema) },
    handle({ project, body }) {
      project.settings = Object.freeze({ ...project.settings, ...body });
      return ok(project.settings);
    },
  }),
};
