import { type StateDocument, stateContents, stateDocument } from "../state/document.ts";
import { done, ok, type ProjectHandler } from "./control.ts";
import { invalid } from "./problem.ts";
import { unknownProject } from "./projects.ts";
import type { Fork } from "./schemas.ts";

export const exportState: ProjectHandler = async ({ project }) => ok(stateDocument(await project.store.contents()));

export const replaceState: ProjectHandler = async ({ engine, project, body }) => {
  const { store, clock } = project;
  if ("from" in (body as Fork | StateDocument)) {
    const { from } = body as Fork;
    const other = engine.projects.find(from);
    if (!other) throw invalid("/from", unknownProject(engine, from));
    await store.restore(await other.store.capture());
  } else {
    const idOf = (number: number) => project.idOf(number);
    await store.replace(stateContents(body as StateDocument, { idOf, now: clock.timestamp() }));
  }
  return done;
};
