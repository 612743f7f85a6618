export { type FilesHome, prepareFolder } from "./files-home.ts";
export { InitialProjects, ProjectFiles } from "./project-files.ts";
