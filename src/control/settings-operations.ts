import { instantOf, isTime, LAST_INSTANT, shown } from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Project } from "../project/index.ts";
import { type Settings, SettingsSchema } from "../state/index.ts";
import { invalid, ok } from "./control-response.ts";
import { Clock, ClockChange } from "./control-schemas.ts";
import { inProject, json } from "./define-operation.ts";

/* How a project behaves: its settings and its clock. */

export const operations = {
  getSettings: inProject("GET", "/settings", {
    summary: "Return the settings of the project",
    responses: { 200: json("All settings of the project.", SettingsSchema) },
    handle: ({ project }) => ok(project.settings),
  }),

  changeSettings: inProject("PATCH", "/settings", {
    summary: "Change settings of the project",
    body: SettingsSchema,
    example: { auth: "strict" },
    responses: { 200: json("All settings of the project, after the change.", SettingsSchema) },
    handle({ engine, project, body }) {
      checkUpstreamMode(engine, body.upstreamMode);
      project.settings = Object.freeze({ ...project.settings, ...body });
      return ok(project.settings);
    },
  }),
};

export const clockOperations = {
  getClock: inProject("GET", "/clock", {
    summary: "Return the time of the project",
    responses: { 200: json("The time of the project.", Clock) },
    handle: ({ project }) => ok(clockOf(project)),
  }),

  setClock: inProject("PUT", "/clock", {
    summary: "Set, freeze, resume or advance the time of the project",
    description:
      '`{ "frozen": true }` freezes the clock now, and `{ "frozen": false }` lets it run on from its time. A running clock stops at 9999-12-31T23:59:59.999Z, the last instant of RFC 3339.',
    body: ClockChange,
    example: { advance: 60_000 },
    responses: { 200: json("The time of the project, after the change.", Clock) },
    handle({ project, body }) {
      const { clock } = project;
      const { now, frozen = false, advance } = body;
      if (now !== undefined && advance === undefined) {
        project.clock = clock.set(readInstant(now), frozen);
      } else if (advance === undefined) {
        // Unlike a set of the current time, this never moves the clock.
        project.clock = frozen ? clock.freeze() : clock.resume();
      } else {
        for (const name of ["now", "frozen"] as const) {
          if (body[name] !== undefined)
            throw invalid(`/${name}`, `expected no ${name} together with advance, found ${shown(body[name])}`);
        }
        const longest = LAST_INSTANT - clock.now();
        const problem = `expected at most ${longest} (the clock ends with the year 9999), found ${advance}`;
        if (advance > longest) throw invalid("/advance", problem);
        project.clock = clock.advance(advance);
      }
      project.publish("clock", clockOf(project));
      return ok(clockOf(project));
    },
  }),
};

/** Throws InvalidField for a mode that the options of the server do not allow. */
function checkUpstreamMode({ upstream }: Engine, mode: Settings["upstreamMode"] = "off"): void {
  if (mode === "off" || (upstream && (mode !== "record" || upstream.canRecord))) return;
  const message = `expected ${upstream ? "off or spy" : "off"}, found "${mode}". Start the server with ${upstream ? "--record-to" : "--upstream"} for this mode.`;
  throw invalid("/upstreamMode", message);
}

export function clockOf({ clock }: Project): Clock {
  return { now: clock.timestamp(), frozen: clock.frozen };
}

function readInstant(now: string | number): number {
  if (typeof now === "number") return now;
  const instant = instantOf(now) ?? Number.NaN;
  if (isTime(instant)) return instant;
  throw invalid("/now", `expected a date-time (RFC 3339) from 1970 or later, found ${shown(now)}`);
}
