export type { FilesHome } from "./project-files.ts";
export { InitialProjects, ProjectFiles } from "./project-files.ts";
export { prepareFolder } from "./restore-files.ts";
