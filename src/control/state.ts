import { StateDocument, stateContents, stateDocument } from "../state/document.ts";
import { isObject } from "../text/json.ts";
import { done, ok } from "./answer.ts";
import { inProject, json, nothing } from "./operation.ts";
import { invalid } from "./problem.ts";
import { unknownProject } from "./projects.ts";
import { Fork } from "./schemas.ts";

export const stateOperations = {
  exportState: inProject("GET", "/state", {
    summary: "The whole state as one document",
    responses: { 200: json("The state.", StateDocument) },
    handle: async ({ project }) => ok(stateDocument(await project.store.contents())),
  }),

  replaceState: inProject("PUT", "/state", {
    summary: "Replace the whole state, by a document or by another project's",
    description: "All or nothing: a document with anything wrong changes nothing. A fork copies no resource.",
    body: { anyOf: [Fork, StateDocument] },
    shapeOf: (body) => (isObject(body) && "from" in body ? Fork : StateDocument),
    responses: { 204: nothing },
    async handle({ engine, project, body }) {
      const { store, clock } = project;
      if ("from" in body) {
        const other = engine.projects.find(body.from);
        if (!other) throw invalid("/from", unknownProject(engine, body.from));
        await store.restore(await other.store.capture());
      } else {
        const idOf = (number: number) => project.idOf(number);
        await store.replace(stateContents(body, { idOf, now: clock.timestamp() }));
      }
      return done;
    },
  }),
};
