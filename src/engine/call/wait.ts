import timers from "node:timers";
import { type Slice, TimeSlice } from "../../contract/index.ts";
import { projectEnded } from "../../project/index.ts";
import type { Call } from "./call.ts";

// Captured at load time, so that fake timers installed later by a test suite do not stop delays.
const { setTimeout: setTimer, clearTimeout: clearTimer } = timers;

/** Resolves after `ms` milliseconds, or as soon as one of the signals aborts. */
export type Wait = (ms: number, ...signals: AbortSignal[]) => Promise<void>;

/** Waits with the machine's timers. */
export const wait: Wait = (ms, ...signals) =>
  new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const finish = () => {
      clearTimer(timer);
      for (const signal of signals) signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimer(finish, ms);
    for (const signal of signals) signal.addEventListener("abort", finish);
  });

/** Thrown if the client has disconnected, so nobody receives the response. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Returns ServiceUnavailable if the project was reset or deleted, and ClientGone if the client has disconnected. */
export function endOf({ project, request, decisions }: Call): Error | undefined {
  if (project.hasEnded) return projectEnded(project);
  if (!request.signal().aborted) return undefined;
  decisions.push({ kind: "gone" });
  return new ClientGone();
}

/** Returns time slices for long work on a call. `next` throws the error of `endOf`. */
export function sliceOf(call: Call): Slice {
  const slice = new TimeSlice();
  return {
    get isOver() {
      return slice.isOver;
    },
    async next() {
      await slice.next();
      const end = endOf(call);
      if (end) throw end;
    },
  };
}
