import type { ComponentChildren } from "preact";
import type { Loaded } from "../live/loaded.ts";
import { Failure } from "./action.tsx";

/** Grey lines in place of content that is loading. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-busy="true" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

interface LoadingProps<T> {
  readonly of: Loaded<T>;
  readonly lines?: number;
  /** Renders the value. */
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a loaded value, or lines while it is loading. If a load fails, the error is shown above the last value. */
export function Loading<T>({ of, lines, children }: LoadingProps<T>) {
  return (
    <>
      <Failure of={of} />
      {of.value === undefined ? of.error === undefined && <Skeleton lines={lines} /> : children(of.value)}
    </>
  );
}
