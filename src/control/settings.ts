import { SettingsSchema } from "../settings/settings.ts";
import { inProject, json } from "./operation.ts";
import { ok } from "./response.ts";

export const settingsOperations = {
  getSettings: inProject("GET", "/settings", {
    summary: "Return the settings of the project",
    responses: { 200: json("All settings of the project.", SettingsSchema) },
    handle: ({ project }) => ok(project.settings),
  }),

  changeSettings: inProject("PATCH", "/settings", {
    summary: "Change settings of the project",
    body: SettingsSchema,
    example: { auth: "strict" },
    responses: { 200: json("All settings of the project, after the change.", SettingsSchema) },
    handle({ project, body }) {
      project.settings = Object.freeze({ ...project.settings, ...body });
      return ok(project.settings);
    },
  }),
};
