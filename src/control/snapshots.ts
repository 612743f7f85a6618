import { ServiceError } from "../contract/service-error.ts";
import type { Project } from "../projects/project.ts";
import { didYouMean } from "../text/nearest.ts";
import { inProject, json, listOf, nothing, problem } from "./operation.ts";
import { notFound } from "./problem.ts";
import { created, done, listed, ok } from "./response.ts";
import { Snapshot, SnapshotName } from "./schemas.ts";

/** More than this many, in one project, are refused: each may hold on to a whole state. */
export const MAX_SNAPSHOTS = 100;

const pathParameters = { name: { description: "The snapshot's name.", example: "two-resources" } };

export const snapshotOperations = {
  listSnapshots: inProject("GET", "/snapshots", {
    summary: "The snapshots, in the order of their taking",
    responses: { 200: json("The snapshots.", listOf("snapshots", Snapshot)) },
    handle: ({ project }) => ok(listed("snapshots", Array.from(project.snapshots.values(), withoutState))),
  }),

  takeSnapshot: inProject("POST", "/snapshots", {
    summary: "Name the state as it is now, to go back to",
    description: "One of the same name is replaced. Snapshots stay when the project is reset. Nothing is copied.",
    body: SnapshotName,
    responses: { 201: json("The snapshot.", Snapshot), 409: problem("There are as many as there may be.") },
    async handle({ project, body: { name } }) {
      const { snapshots } = project;
      if (snapshots.size >= MAX_SNAPSHOTS && !snapshots.get(name)) {
        const message = `The project has ${MAX_SNAPSHOTS} snapshots, as many as it may have: delete one first`;
        throw new ServiceError({ code: "LimitReached", message });
      }
      return created(withoutState(await project.takeSnapshot(name)));
    },
  }),

  restoreSnapshot: inProject("POST", "/snapshots/{name}/restore", {
    summary: "Go back to a snapshot",
    pathParameters,
    responses: { 204: nothing },
    async handle({ project, path }) {
      const snapshot = project.snapshots.get(path.name);
      if (!snapshot) throw unknownSnapshot(project, path.name);
      await project.store.restore(snapshot.state);
      return done;
    },
  }),

  deleteSnapshot: inProject("DELETE", "/snapshots/{name}", {
    summary: "Forget a snapshot",
    pathParameters,
    responses: { 204: nothing },
    handle({ project, path }) {
      if (!project.snapshots.delete(path.name, project.store)) throw unknownSnapshot(project, path.name);
      return done;
    },
  }),
};

function withoutState({ name, takenAt, resources }: Snapshot): Snapshot {
  return { name, takenAt, resources };
}

function unknownSnapshot({ snapshots }: Project, name: string): ServiceError {
  return notFound(`There is no snapshot "${name.slice(0, 100)}".${didYouMean(name, snapshots.names())}`);
}
