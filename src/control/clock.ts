import { instantOf } from "../contract/formats.ts";
import { LAST_INSTANT } from "../projects/clock.ts";
import type { Project } from "../projects/project.ts";
import { inProject, json } from "./operation.ts";
import { invalid } from "./problem.ts";
import { ok } from "./response.ts";
import { Clock, ClockChange } from "./schemas.ts";

export const clockOperations = {
  getClock: inProject("GET", "/clock", {
    summary: "The project's time",
    responses: { 200: json("The time.", Clock) },
    handle: ({ project }) => ok(clockOf(project)),
  }),

  setClock: inProject("PUT", "/clock", {
    summary: "Set, freeze or advance the project's time",
    description: "A running clock stops at 9999-12-31T23:59:59.999Z, the last instant of RFC 3339.",
    body: ClockChange,
    responses: { 200: json("The time, as it is now.", Clock) },
    handle({ project, body }) {
      const { clock } = project;
      const { now, frozen = false, advance } = body;
      if (advance === undefined) {
        clock.set(now === undefined ? clock.now() : readInstant(now), frozen);
      } else {
        for (const name of ["now", "frozen"] as const) {
          if (body[name] !== undefined) throw invalid(`/${name}`, "cannot be combined with advance");
        }
        if (clock.now() + advance > LAST_INSTANT) throw invalid("/advance", "expected to stay before the year 10000");
        clock.advance(advance);
      }
      return ok(clockOf(project));
    },
  }),
};

/** The project's time, as it is answered. */
export function clockOf({ clock }: Project): Clock {
  return { now: clock.timestamp(), frozen: clock.frozen };
}

/** Milliseconds since 1970. */
function readInstant(now: string | number): number {
  if (typeof now === "number") return now;
  const instant = instantOf(now) ?? Number.NaN;
  if (instant >= 0 && instant <= LAST_INSTANT) return instant;
  throw invalid("/now", `expected a date-time (RFC 3339) from 1970 on, found ${JSON.stringify(now.slice(0, 60))}`);
}
