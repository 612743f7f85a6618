import type { ControlAnswer, ControlCall, Handler } from "./control.ts";

export const streamEvents: Handler = (call) => stream(call);

export const streamProjectEvents: Handler = (call) => stream(call, call.path.projectKey);

function stream({ engine, header }: ControlCall, project?: string): ControlAnswer {
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
