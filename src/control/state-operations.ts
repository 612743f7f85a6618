import { type FromSchema, isObject, object, type Schema, shown } from "../contract/index.ts";
import { isArchive } from "../homes/index.ts";
import type { Exchange } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import { type State, StateDocument, stateOf, statePieces } from "../state/index.ts";
import { invalid, notFound, ok } from "./control-response.ts";
import { Fork, NamespaceAction, StoredNamespaceAction } from "./control-schemas.ts";
import { inProject, json, problem } from "./define-operation.ts";
import { copiedProjects, projectToCopy } from "./named-projects.ts";

const moment = { type: "integer", minimum: 0 } as const satisfies Schema;

/** The body of a call that restores the state around a request. */
export const RewindRequest = object([], {
  to: { enum: ["before", "after"], description: "The state before the request (the default) or after it." },
});

/** The body of a call that restores the state at a moment. */
export const RewindMoment = object(["moment"], {
  moment: {
    ...moment,
    description: "The number of sets of changes that the state had: `moment` or `undo` of a rewind.",
  },
});

/** The result of restoring an earlier state. */
export const Rewound = object(["moment", "undo"], {
  moment: { ...moment, description: "The moment of the restored state." },
  undo: { ...moment, description: "The moment of the state before this call. Restoring it undoes the call." },
});
export type Rewound = FromSchema<typeof Rewound>;

export const notRewindable = problem(
  "A change since this moment, or the rewind itself, is not kept whole. The message says why.",
);

const forArchives = "PUT /__admin/projects/{projectKey}/archive takes an archive.";

export const operations = {
  exportState: inProject("GET", "/state", {
    summary: "Export the complete state as a document",
    description: "By default, the current state; otherwise the state before or after a request in the journal.",
    query: {
      before: { type: "string", description: "The id of a request: the state before it." },
      after: { type: "string", description: "The id of a request: the state after it." },
    },
    responses: { 200: json("The state.", StateDocument), 409: notRewindable },
    handle: ({ project, query }) => ({ status: 200, pieces: statePieces(selectedState(project, query)) }),
  }),

  rewind: inProject("POST", "/rewind", {
    summary: "Restore the state at a moment",
    description: "Undoes a rewind with its `undo`. Settings, scenarios, rules, clock and journal stay.",
    body: RewindMoment,
    example: { moment: 3 },
    responses: { 200: json("The moment of the restored state.", Rewound), 409: notRewindable },
    handle: ({ project, body: { moment } }) => ok(rewind(project, moment)),
  }),

  replaceState: inProject("PUT", "/state", {
    summary: "Replace the complete state with a document or with the state of another project",
    description:
      "An invalid document changes nothing. A document may have 8 MiB; an archive restores larger states. With `from`, both projects share the resources until one of them changes a resource, so nothing is copied.",
    body: { anyOf: [Fork, StateDocument] },
    projectsIn: copiedProjects,
    example: { resources: [{ id: "42", objectTypeProperty: { arrayOfIntExample: [1, 2] } }] },
    shapeOf: (body) => (isObject(body) && "from" in body ? Fork : StateDocument),
    holdsState: true,
    bodyElsewhere: {
      hint: forArchives,
      refuse(bytes) {
        if (isArchive(bytes)) throw invalid("", `expected a state document, found an archive. ${forArchives}`);
      },
    },
    handle({ engine, project, body }) {
      if ("from" in body) {
        project.replaceState(projectToCopy(engine, body.from).state, { isShared: true });
      } else {
        const idOf = (number: number) => project.idOf(number);
        const state = stateOf(body, { idOf, now: project.clock.timestamp() });
        project.replaceState(state, { isShared: false });
      }
    },
  }),

  readStoredNamespaceAction: inProject("GET", "/namespace-action", {
    summary: "Return the body of the custom action",
    responses: { 200: json("The last body of writeNamespaceAction.", StoredNamespaceAction) },
    handle: ({ project }) => ok(project.state.namespaceAction ?? {}),
  }),

  setNamespaceAction: inProject("PUT", "/namespace-action", {
    summary: "Set the body of the custom action",
    description: "readNamespaceAction returns this body, as after a call of writeNamespaceAction.",
    body: NamespaceAction,
    example: { body: { status: "done" } },
    handle: ({ project, body }) => project.change((draft) => draft.setAction(body)),
  }),

  clearNamespaceAction: inProject("DELETE", "/namespace-action", {
    summary: "Delete the body of the custom action",
    description: "readNamespaceAction then returns its fixture. Succeeds without a body, too.",
    handle: ({ project }) => project.change((draft) => draft.setAction(undefined)),
  }),
};

function selectedState(project: Project, { before, after }: { before?: string; after?: string }): State {
  if (before !== undefined && after !== undefined) {
    throw invalid("after", "expected only one of before and after, found both");
  }
  const id = before ?? after;
  if (id === undefined) return project.state;
  const moments = momentsOf(requestOf(project, id));
  return project.stateAt(moments[before === undefined ? 1 : 0]);
}

/** Returns the request with this id. Throws ResourceNotFound. */
export function requestOf(project: Project, id: string): Exchange {
  const exchange = project.journal.list().find((each) => each.id === id);
  if (exchange) return exchange;
  throw notFound(`Request ${shown(id)} not found. It may belong to another project, or the journal has dropped it`);
}

/** Returns the moments before and after a request. */
export function momentsOf({ momentBefore = -1, momentAfter = -1 }: Exchange): readonly [number, number] {
  // A request of an archive without a history has no moments.
  return [momentBefore, momentAfter];
}

/** Restores the state at a moment. Throws NotRewindable, or InvalidField for a moment that is still to come. */
export function rewind(project: Project, to: number, of: { request?: string; to?: "before" | "after" } = {}): Rewound {
  const undo = project.moment;
  if (to > undo) throw invalid("/moment", `expected at most ${undo}, the current moment, found ${to}`);
  project.rewind(to);
  project.publish("rewound", { ...of, moment: to });
  return { moment: to, undo };
}
