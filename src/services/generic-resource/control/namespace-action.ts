import { AnyJson, closedObject, MAX_JSON_DEPTH, object } from "../../../contract/index.ts";
import { inProject, json, ok, providerState } from "../../../control/index.ts";
import { collectionIn, itemById } from "../../../state/index.ts";
import { NAMESPACE_ACTION } from "../types.ts";

/** The body of the custom action `namespace-action`. */
export const NamespaceAction = closedObject(["body"], {
  body: { ...AnyJson, description: "Any JSON value: the response body of readNamespaceAction." },
});

/** The stored body of the custom action. */
export const StoredNamespaceAction = object([], {
  body: { ...AnyJson, description: "Absent if no body is stored: readNamespaceAction then returns its fixture." },
});

export const operations = {
  readStoredNamespaceAction: inProject("GET", "/namespace-action", {
    summary: "Return the body of the custom action",
    responses: { 200: json("The last body of writeNamespaceAction.", StoredNamespaceAction) },
    handle({ project }) {
      const stored = itemById(collectionIn(project.state, NAMESPACE_ACTION), "");
      return ok(stored ? { body: stored.content } : {});
    },
  }),

  setNamespaceAction: inProject("PUT", "/namespace-action", {
    summary: "Set the body of the custom action",
    description: "readNamespaceAction returns this body, as after a call of writeNamespaceAction.",
    body: NamespaceAction,
    depth: MAX_JSON_DEPTH + 1,
    example: { body: { status: "done" } },
    handle({ project, body: { body } }) {
      project.change((draft) => draft.setSingleton(NAMESPACE_ACTION, body, project.clock.timestamp()));
    },
  }),

  clearNamespaceAction: inProject("DELETE", "/namespace-action", {
    summary: "Delete the body of the custom action",
    description: "readNamespaceAction then returns its fixture. Succeeds without a body, too.",
    handle({ project }) {
      project.change((draft) => draft.remove(NAMESPACE_ACTION, ""));
    },
  }),
};

export const providerStates = {
  "a namespace action body exists": providerState(
    { body: {} },
    {
      setUp(_engine, project, { body = null }) {
        project.change((draft) => draft.setSingleton(NAMESPACE_ACTION, body, project.clock.timestamp()));
      },
      tearDown(_engine, project) {
        project.change((draft) => draft.remove(NAMESPACE_ACTION, ""));
      },
      paramsOf: (operationId, body) => (operationId === "readNamespaceAction" ? { body } : undefined),
    },
  ),
};
