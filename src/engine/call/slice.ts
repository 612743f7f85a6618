import { type Slice, TimeSlice } from "../../contract/index.ts";
import { projectEnded } from "../../project/index.ts";
import type { Call } from "./call.ts";

/** Thrown if the client has disconnected, so nobody receives the response. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/**
 * Returns time slices for long work on a call. `next` throws ServiceUnavailable if the project was reset or deleted, and
 * ClientGone if the client has disconnected.
 */
export function sliceOf({ project, request, decisions }: Call): Slice {
  const slice = new TimeSlice();
  return {
    get isOver() {
      return slice.isOver;
    },
    async next() {
      await slice.next();
      if (project.hasEnded) throw projectEnded(project);
      if (request.signal().aborted) {
        decisions.push({ kind: "gone" });
        throw new ClientGone();
      }
    },
  };
}
