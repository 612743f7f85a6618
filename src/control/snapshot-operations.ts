import { didYouMean, MAX_SNAPSHOTS, ServiceError } from "../contract/index.ts";
import type { Project, Snapshot as TakenSnapshot } from "../project/index.ts";
import { created, list, notFound } from "./control-response.ts";
import { Snapshot, SnapshotName } from "./control-schemas.ts";
import { inProject, json, listOf, problem } from "./define-operation.ts";

const pathParameters = { name: { description: "The name of the snapshot.", example: "two-resources" } };

export const operations = {
  listSnapshots: inProject("GET", "/snapshots", {
    summary: "List the snapshots, oldest first",
    responses: { 200: json("The snapshots.", listOf("snapshots", Snapshot)) },
    handle: ({ project: { snapshots } }) =>
      list("snapshots", Array.from(snapshots.values(), withoutState), snapshots.size),
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
    handle({ project, body: { name } }) {
      const { snapshots } = project;
      if (snapshots.size >= MAX_SNAPSHOTS && !snapshots.get(name)) {
        const message = `snapshots: expected fewer than ${MAX_SNAPSHOTS} in the project, found ${snapshots.size}. Delete a snapshot first`;
        throw new ServiceError({ code: "LimitReached", message });
      }
      return created(withoutState(project.takeSnapshot(name)));
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

function withoutState({ name, takenAt, state }: TakenSnapshot): Snapshot {
  return { name, takenAt, resources: state.resources.size };
}

function unknownSnapshot({ snapshots }: Project, name: string): ServiceError {
  return notFound(`Snapshot "${name.slice(0, 100)}" not found.${didYouMean(name, snapshots.keys())}`);
}
