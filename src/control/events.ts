import type { Schema } from "../contract/schema.ts";
import { type ControlCall, json, onServer } from "./operation.ts";
import type { ControlResponse } from "./response.ts";

const EventStream = {
  type: "string",
  description:
    "Events `request`, `state`, `scenario` and `reset` with JSON data. A client that reconnects with Last-Event-ID receives the events that it missed. If the server has dropped some of these events, or if another server issued the id, the stream starts with `gap`. The client should then read the state again. The data of `gap` contains `after` and `until`: the ids of the missed events are greater than `after` and at most `until`. In the stream of a project, the data also contains `project`.",
} as const satisfies Schema;
const responses = {
  200: json("Server-sent events, until the client disconnects or the server stops.", EventStream, {
    mediaType: "text/event-stream",
  }),
};

export const eventOperations = {
  streamEvents: onServer("GET", "/events", {
    summary: "Stream the events of all projects",
    responses,
    handle: (call) => stream(call),
  }),

  streamProjectEvents: onServer("GET", "/projects/{projectKey}/events", {
    summary: "Stream the events of the project",
    description: "The stream continues after the project is reset or closed.",
    responses,
    handle: (call) => stream(call, call.path.projectKey),
  }),
};

function stream({ engine, header }: Pick<ControlCall, "engine" | "header">, project?: string): ControlResponse {
  const lastId = header("last-event-id")?.trim() ?? "";
  // An invalid id becomes 0. This is below all ids of this server, so the stream starts with `gap`.
  const after = lastId === "" ? undefined : /^\d{1,16}$/.test(lastId) ? Number(lastId) : 0;
  return {
    status: 200,
    content: engine.feed.open({ project, after }),
    headers: {
      "Content-Type": "text/event-stream",
      // Proxies that buffer responses would delay the events.
      "X-Accel-Buffering": "no",
    },
  };
}
