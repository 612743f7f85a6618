import type { RefObject } from "preact";
import { ControlError } from "../../../control/client/index.ts";
import { selectIn } from "../parts/json-form.tsx";
import { locationOf } from "../parts/json-text.ts";

interface LocationsProps {
  readonly of: { readonly error?: unknown };
  /** The field with the JSON text that the mock has rejected. */
  readonly area: RefObject<HTMLTextAreaElement | null>;
}

/** Buttons that select the invalid values of a rejected call in the JSON text. */
export function Locations({ of: { error }, area }: LocationsProps) {
  const errors = error instanceof ControlError && Array.isArray(error.problem.errors) ? error.problem.errors : [];
  const pointers = errors.flatMap(({ pointer }) => (pointer ? [pointer] : []));
  if (pointers.length === 0) return null;
  const select = (pointer: string) => {
    const text = area.current?.value ?? "";
    // The value may be absent: then the location is that of the object around it.
    for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      const location = locationOf(text, at);
      if (location) return selectIn(area.current, location.start, location.end);
    }
    selectIn(area.current, 0, 0);
  };
  return (
    <div class="bar">
      {[...new Set(pointers)].map((pointer) => (
        <button key={pointer} type="button" class="quiet" onClick={() => select(pointer)}>
          Show {pointer.slice(0, 60)}
        </button>
      ))}
    </div>
  );
}
