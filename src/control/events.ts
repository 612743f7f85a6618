import type { Schema } from "../contract/schema.ts";
import { type ControlCall, json, onServer } from "./operation.ts";
import type { ControlResponse } from "./response.ts";

const EventStream = {
  type: "string",
  description:
    "Events `request`, `state`, `scenario` and `reset` with JSON data. A reader that comes back with Last-Event-ID receives the events that it missed. If some of them are no longer kept, or the id is from another server, the stream begins with `gap`: the reader should read the state again. Its data are `project` (in a project's stream), `after` and `until`: the missed events have ids above `after`, and none above `until`.",
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

function stream({ engine, header }: Pick<ControlCall, "engine" | "header">, project?: string): ControlResponse {
  const lastId = header("last-event-id")?.trim() ?? "";
  // Any other text is no id of this server: 0 is none either.
  const after = lastId === "" ? undefined : /^\d{1,16}$/.test(lastId) ? Number(lastId) : 0;
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
