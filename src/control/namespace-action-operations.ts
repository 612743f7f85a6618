import { done, ok } from "./control-response.ts";
import { NamespaceAction, StoredNamespaceAction } from "./control-schemas.ts";
import { inProject, json, noContent } from "./define-operation.ts";

export const namespaceActionOperations = {
  readStoredNamespaceAction: inProject("GET", "/namespace-action", {
    summary: "Return the body of the custom action",
    responses: { 200: json("The last body of writeNamespaceAction.", StoredNamespaceAction) },
    handle({ project }) {
      const { namespaceAction } = project.state;
      return ok(namespaceAction ?? {});
    },
  }),

  setNamespaceAction: inProject("PUT", "/namespace-action", {
    summary: "Set the body of the custom action",
    description: "readNamespaceAction returns this body, as after a call of writeNamespaceAction.",
    body: NamespaceAction,
    example: { body: { status: "done" } },
    responses: { 204: noContent },
    handle({ project, body }) {
      project.change((draft) => draft.setAction(body));
      return done;
    },
  }),

  clearNamespaceAction: inProject("DELETE", "/namespace-action", {
    summary: "Delete the body of the custom action",
    description: "readNamespaceAction then returns its fixture. Succeeds without a body, too.",
    responses: { 204: noContent },
    handle({ project }) {
      project.change((draft) => draft.setAction(undefined));
      return done;
    },
  }),
};
