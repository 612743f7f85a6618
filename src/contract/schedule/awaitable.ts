/** A value, or its promise if the work has to wait: an `await` costs time even if nothing waits. */
export type Awaitable<T> = T | Promise<T>;
