import type { Settings } from "../settings/settings.ts";
import { ok, type ProjectHandler } from "./control.ts";

export const getSettings: ProjectHandler = ({ project }) => ok(project.settings);

export const changeSettings: ProjectHandler = ({ project, body }) => {
  project.settings = Object.freeze({ ...project.settings, ...(body as Partial<Settings>) });
  return ok(project.settings);
};
