import { projectEnded } from "../projects/project.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import type { Call } from "./call.ts";

/** Thrown when the client has gone, and nobody receives the response. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/**
 * Returns a slice of time for long work on a call. After a slice, the work ends early if nobody needs its result:
 * `next` throws ServiceUnavailable if the project was reset or closed, and ClientGone if the client has gone.
 */
export function sliceOf({ project, request, decisions }: Call): Pick<TimeSlice, "isOver" | "next"> {
  const slice = new TimeSlice();
  return {
    get isOver() {
      return slice.isOver;
    },
    async next() {
      await slice.next();
      if (project.hasEnded) throw projectEnded(project);
      if (request.signal().aborted) {
        decisions.push("the client went away meanwhile: the request was not handled");
        throw new ClientGone();
      }
    },
  };
}
