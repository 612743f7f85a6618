import {
  type Contract,
  closedObject,
  didYouMean,
  type FromSchema,
  isObject,
  MAX_SNAPSHOTS,
  MAX_STATE_DEPTH,
  object,
  type Schema,
  ServiceError,
  shown,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { isArchive } from "../homes/index.ts";
import type { Exchange } from "../journal/index.ts";
import type { Project, Snapshot as TakenSnapshot } from "../project/index.ts";
import { collectionIn, type State, type StateForm, stateFormOf, typeIn } from "../state/index.ts";
import { created, invalid, list, notFound, ok } from "./control-response.ts";
import { Fork, Snapshot, SnapshotName, State as StateDocument } from "./control-schemas.ts";
import { inProject, json, listOf, problem } from "./define-operation.ts";
import { unknownProject } from "./search.ts";
import { validated } from "./serve-control.ts";
import type { Controls } from "./subjects.ts";

/* The whole state of a project, its earlier states, and its named copies. */

const moment = { type: "integer", minimum: 0 } as const satisfies Schema;

/** The body of a call that restores the state around a request. */
export const RewindRequest = closedObject([], {
  to: { enum: ["before", "after"], description: "The state before the request (the default) or after it." },
});

/** The body of a call that restores the state at a moment. */
export const RewindMoment = closedObject(["moment"], {
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
    async handle({ control, engine, project, query }) {
      const form = formOf(engine.contract, await control.controls());
      return { status: 200, pieces: form.pieces(await selectedState(project, query)) };
    },
  }),

  rewind: inProject("POST", "/rewind", {
    summary: "Restore the state at a moment",
    description: "Undoes a rewind with its `undo`. Settings, scenarios, rules, clock and journal stay.",
    body: RewindMoment,
    example: { moment: 3 },
    responses: { 200: json("The moment of the restored state.", Rewound), 409: notRewindable },
    handle: async ({ project, body: { moment } }) => ok(await rewind(project, moment)),
  }),

  replaceState: inProject("PUT", "/state", {
    summary: "Replace the complete state with a document or with the state of another project",
    description:
      "An invalid document changes nothing. A document may have 8 MiB; an archive restores larger states. With `from`, both projects share the resources until one of them changes a resource, so nothing is copied.",
    body: { anyOf: [Fork, StateDocument] },
    projectsIn: copiedProjects,
    example: (contract, controls) => formOf(contract, controls).schema.examples?.[0],
    shapeOf: (body) => (isObject(body) && "from" in body ? Fork : StateDocument),
    holdsState: true,
    depth: MAX_STATE_DEPTH,
    bodyElsewhere: {
      hint: forArchives,
      refuse(bytes) {
        if (isArchive(bytes)) throw invalid("", `expected a state document, found an archive. ${forArchives}`);
      },
    },
    async handle({ control, engine, project, body }) {
      if ("from" in body) {
        project.replaceState(projectToCopy(engine, (body as Fork).from).state, { isShared: true });
      } else {
        const form = formOf(engine.contract, await control.controls());
        const document = (await validated(form.schema, body, "")) as object;
        const idOf = (number: number) => project.idOf(number);
        const { initial } = project.state;
        const state = form.stateOf(document, { idOf, now: project.clock.timestamp(), initial });
        project.replaceState(state, { isShared: false });
      }
    },
  }),
};

const pathParameters = { name: { description: "The name of the snapshot.", example: "two-resources" } };

export const snapshotOperations = {
  listSnapshots: inProject("GET", "/snapshots", {
    summary: "List the snapshots, oldest first",
    responses: { 200: json("The snapshots.", listOf("snapshots", Snapshot)) },
    handle({ engine, project: { snapshots } }) {
      const shown = Array.from(snapshots.values(), (each) => withoutState(each, engine));
      return list("snapshots", shown);
    },
  }),

  takeSnapshot: inProject("POST", "/snapshots", {
    summary: "Take a snapshot of the state",
    description:
      "Replaces a snapshot with the same name. A reset of the project keeps snapshots. The snapshot shares its resources with the state, so it copies none.",
    body: SnapshotName,
    example: { name: "two-resources" },
    responses: {
      201: json("The snapshot.", Snapshot),
      409: problem("The project has the maximum number of snapshots."),
    },
    handle({ engine, project, body: { name } }) {
      const { snapshots } = project;
      if (snapshots.size >= MAX_SNAPSHOTS && !snapshots.get(name)) {
        const message = `snapshots: expected fewer than ${MAX_SNAPSHOTS} in the project, found ${snapshots.size}. Delete a snapshot first`;
        throw new ServiceError({ code: "LimitReached", message });
      }
      return created(withoutState(project.takeSnapshot(name), engine));
    },
  }),

  restoreSnapshot: inProject("POST", "/snapshots/{name}/restore", {
    summary: "Restore the state from a snapshot",
    pathParameters,
    handle({ project, path }) {
      if (!project.restoreSnapshot(path.name)) throw unknownSnapshot(project, path.name);
    },
  }),

  deleteSnapshot: inProject("DELETE", "/snapshots/{name}", {
    summary: "Delete a snapshot",
    pathParameters,
    handle({ project, path }) {
      if (!project.deleteSnapshot(path.name)) throw unknownSnapshot(project, path.name);
    },
  }),
};

async function selectedState(project: Project, { before, after }: { before?: string; after?: string }): Promise<State> {
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

export function momentsOf({ momentBefore = -1, momentAfter = -1 }: Exchange): readonly [number, number] {
  // A request of an archive without a history has no moments.
  return [momentBefore, momentAfter];
}

/** Restores the state at a moment. Throws NotRewindable, or InvalidField for a moment that is still to come. */
export async function rewind(
  project: Project,
  to: number,
  of: { request?: string; to?: "before" | "after" } = {},
): Promise<Rewound> {
  const { moment } = project;
  if (to > moment) throw invalid("/moment", `expected at most ${moment}, the current moment, found ${to}`);
  const undo = await project.rewind(to);
  project.publish("rewound", { ...of, moment: to });
  return { moment: to, undo };
}

/** Returns the key in a body with `from`, the project to copy. */
export function copiedProjects(body: unknown): string[] {
  return isObject(body) && typeof body.from === "string" ? [body.from] : [];
}

/** Returns the project to copy. Throws InvalidField for an unknown key. */
export function projectToCopy(engine: Engine, from: string): Project {
  const project = engine.projects.find(from);
  if (!project) throw invalid("/from", unknownProject(engine, from));
  return project;
}

function withoutState({ name, takenAt, state }: TakenSnapshot, { contract }: Engine): Snapshot {
  return { name, takenAt, resources: countIn(state, contract) };
}

/** Returns the number of items of the default type, in all its collections. */
export function countIn(state: State, { types: [type] }: Contract): number {
  if (!type?.scope) return type ? collectionIn(state, type.name).items.size : 0;
  const own = [...state.collections.entries()].filter(([name]) => typeIn(name) === type.name);
  return own.reduce((sum, [, { items }]) => sum + items.size, 0);
}

export function formOf(contract: Contract, controls: Controls): StateForm {
  return controls.stateForm ?? stateFormOf(contract);
}

function unknownSnapshot({ snapshots }: Project, name: string): ServiceError {
  return notFound(`Snapshot "${name.slice(0, 100)}" not found.${didYouMean(name, snapshots.keys())}`);
}
