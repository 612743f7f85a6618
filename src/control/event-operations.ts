import { MAX_READERS, MAX_SINGLE_EVENTS, type Schema } from "../contract/index.ts";
import type { StreamOptions } from "../journal/index.ts";
import type { ControlResponse } from "./control-response.ts";
import { type ControlCall, json, onServer, problem } from "./define-operation.ts";

const EventStream = {
  type: "string",
  description:
    "Events with JSON data: `request`, `state`, `reset`, `settings`, `clock`, `scenarios`, `rules`, `snapshots`, `rewound`, `tokens`, `journal`, `verification`, `project` and `storage`. The data contains `project`, unless the event is about all projects. A client that reconnects with Last-Event-ID receives the events that it missed. If another server issued the id, or wherever the server has dropped events before the client has read them, the stream has `gap`. The client should then read the state again. The data of `gap` contains `after` and `until`: the ids of the missed events are greater than `after` and at most `until`.",
} as const satisfies Schema;
const responses = {
  200: json("Server-sent events, until the client disconnects or the server stops.", EventStream, {
    mediaType: "text/event-stream",
  }),
  503: problem(`The server has ${MAX_READERS} readers of events. Retry-After has the seconds until the next attempt.`),
};
const query = {
  summary: {
    type: "boolean",
    description:
      `true: if a second has more than ${MAX_SINGLE_EVENTS} events of one type, the stream counts all further events, and sends one ` +
      "`summary` event with the counts at the end of the second. Single events return after a second with at most " +
      `${MAX_SINGLE_EVENTS} events of each type.`,
  },
} as const;

export const operations = {
  streamEvents: onServer("GET", "/events", {
    reach: "process",
    summary: "Stream the events of all projects",
    query,
    responses,
    handle: (call) => stream(call, call.query),
  }),

  streamProjectEvents: onServer("GET", "/projects/{projectKey}/events", {
    reach: "process",
    summary: "Stream the events of the project",
    description: "The stream continues after the project is reset or deleted.",
    query,
    responses,
    handle: (call) => stream(call, { ...call.query, project: call.path.projectKey }),
  }),
};

function stream({ engine, header }: Pick<ControlCall, "engine" | "header">, options: StreamOptions): ControlResponse {
  const lastId = header("last-event-id")?.trim() ?? "";
  // An invalid id becomes 0. This is below all ids of this server, so the stream starts with `gap`.
  const after = lastId === "" ? undefined : /^\d{1,16}$/.test(lastId) ? Number(lastId) : 0;
  return {
    status: 200,
    content: engine.feed.open({ ...options, after }),
    headers: {
      "Content-Type": "text/event-stream",
      // Proxies that buffer responses would delay the events.
      "X-Accel-Buffering": "no",
    },
  };
}
