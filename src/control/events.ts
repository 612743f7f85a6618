import type { Schema } from "../contract/schema.ts";
import type { ControlAnswer } from "./answer.ts";
import { type ControlCall, json, onServer } from "./operation.ts";

const EventStream = {
  type: "string",
  description:
    "Events `request`, `state`, `scenario` and `reset` with JSON data. A reader that comes back with Last-Event-ID gets what it missed, if it is still kept.",
} as const satisfies Schema;
const responses = {
  200: json("Server-sent events, until the client goes away or the server stops.", EventStream, {
    mediaType: "text/event-stream",
  }),
};

export const eventOperations = {
  streamEvents: onServer("GET", "/events", {
    summary: "What happens, in all projects",
    responses,
    handle: (call) => stream(call),
  }),

  streamProjectEvents: onServer("GET", "/projects/{projectKey}/events", {
    summary: "What happens in a project",
    description: "The stream goes on when the project is reset or closed.",
    responses,
    handle: (call) => stream(call, call.path.projectKey),
  }),
};

function stream({ engine, header }: Pick<ControlCall, "engine" | "header">, project?: string): ControlAnswer {
  const lastId = header("last-event-id")?.trim() ?? "";
  // What is no id of ours was not given out here: the reader has seen nothing.
  const after = lastId === "" ? undefined : /^\d{1,15}$/.test(lastId) ? Number(lastId) : 0;
  return {
    status: 200,
    content: engine.feed.open({ project, after }),
    headers: {
      "Content-Type": "text/event-stream",
      // Proxies that collect answers before they pass them on would hold events back.
      "X-Accel-Buffering": "no",
    },
  };
}
