import { type FromSchema, object, type Schema, shown } from "../contract/index.ts";
import type { Exchange } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import { invalid, notFound } from "./control-response.ts";
import { problem } from "./define-operation.ts";

const moment = { type: "integer", minimum: 0 } as const satisfies Schema;

/** The body of a call that restores the state around a request. */
export const RewindRequest = object([], {
  to: { enum: ["before", "after"], description: "The state before the request (the default) or after it." },
});

/** The body of a call that restores the state at a moment. */
export const RewindMoment = object(["moment"], {
  moment: {
    ...moment,
    description: "The number of sets of changes that the state had: `moment` or `undo` of a rewind.",
  },
});

/** The result of restoring an earlier state. */
export const Rewound = object(["moment", "undo"], {
  moment: { ...moment, description: "The moment of the restored state." },
  undo: { ...moment, description: "The moment of the state before this call. Restoring it undoes the call." },
});
export type Rewound = FromSchema<typeof Rewound>;

export const notRewindable = problem(
  "A change since this moment, or the rewind itself, is not kept whole. The message says why.",
);

/** Returns the request with this id. Throws ResourceNotFound. */
export function requestOf(project: Project, id: string): Exchange {
  const exchange = project.exchanges().find((each) => each.id === id);
  if (exchange) return exchange;
  throw notFound(`Request ${shown(id)} not found. It may belong to another project, or the journal has dropped it`);
}

/** Returns the moments before and after a request. */
export function momentsOf({ momentBefore = -1, momentAfter = -1 }: Exchange): readonly [number, number] {
  // A request of an archive without a history has no moments.
  return [momentBefore, momentAfter];
}

/** Restores the state at a moment. Throws NotRewindable, or InvalidField for a moment that is still to come. */
export function rewind(project: Project, to: number, of: { request?: string; to?: "before" | "after" } = {}): Rewound {
  const undo = project.moment;
  if (to > undo) throw invalid("/moment", `expected at most ${undo}, the current moment, found ${to}`);
  project.rewind(to);
  project.publish("rewound", { ...of, moment: to });
  return { moment: to, undo };
}
