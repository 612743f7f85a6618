import { invalidField, ServiceError } from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Settings, SettingsSchema } from "../state/index.ts";
import { ok } from "./control-response.ts";
import { inProject, json } from "./define-operation.ts";

export const operations = {
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
    handle({ engine, project, body }) {
      checkUpstreamMode(engine, body.upstreamMode);
      project.settings = Object.freeze({ ...project.settings, ...body });
      return ok(project.settings);
    },
  }),
};

/** Throws InvalidField for a mode that the options of the server do not allow. */
function checkUpstreamMode({ upstream }: Engine, mode: Settings["upstreamMode"] = "off"): void {
  if (mode === "off" || (upstream && (mode !== "record" || upstream.canRecord))) return;
  const message = `expected ${upstream ? "off or spy" : "off"}, found "${mode}". Start the server with ${upstream ? "--record-to" : "--upstream"} for this mode.`;
  throw new ServiceError(invalidField("/upstreamMode", message));
}
