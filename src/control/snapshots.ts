import { ServiceError } from "../contract/service-error.ts";
import type { Project, StoredSnapshot } from "../projects/project.ts";
import { didYouMean } from "../text/nearest.ts";
import { created, done, ok, type ProjectHandler } from "./control.ts";
import { notFound } from "./problem.ts";
import type { Snapshot, SnapshotName } from "./schemas.ts";

/** More than this many, in one project, are refused: each may hold on to a whole state. */
export const MAX_SNAPSHOTS = 100;

export const listSnapshots: ProjectHandler = ({ project }) => {
  const snapshots = Array.from(project.snapshots.values(), shown);
  return ok({ snapshots, total: snapshots.length });
};

export const takeSnapshot: ProjectHandler = async ({ project, body }) => {
  const { name } = body as SnapshotName;
  const { snapshots, store, clock } = project;
  if (snapshots.size >= MAX_SNAPSHOTS && !snapshots.has(name)) {
    const message = `The project has ${MAX_SNAPSHOTS} snapshots, as many as it may have: delete one first`;
    throw new ServiceError({ code: "LimitReached", message });
  }
  const [state, resources] = [await store.capture(), await store.size()];
  const snapshot: StoredSnapshot = { name, takenAt: clock.timestamp(), resources, state };
  // Taken anew, it is the newest.
  snapshots.delete(name);
  snapshots.set(name, snapshot);
  return created(shown(snapshot));
};

export const restoreSnapshot: ProjectHandler = async ({ project, path: { name = "" } }) => {
  const snapshot = project.snapshots.get(name);
  if (!snapshot) throw unknownSnapshot(project, name);
  await project.store.restore(snapshot.state);
  return done;
};

export const deleteSnapshot: ProjectHandler = ({ project, path: { name = "" } }) => {
  if (!project.snapshots.delete(name)) throw unknownSnapshot(project, name);
  return done;
};

function shown({ name, takenAt, resources }: StoredSnapshot): Snapshot {
  return { name, takenAt, resources };
}

function unknownSnapshot({ snapshots }: Project, name: string): ServiceError {
  return notFound(`There is no snapshot "${name.slice(0, 100)}".${didYouMean(name, snapshots.keys())}`);
}
