/** An answer, before it is put on a wire: a JSON value, or content of another type, or nothing. */
export interface ControlAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly content?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

export function ok(json: unknown): ControlAnswer {
  return { status: 200, json };
}

export function created(json: unknown, headers?: Record<string, string>): ControlAnswer {
  return { status: 201, json, headers };
}

/** The answer of a successful call that returns nothing. */
export const done: ControlAnswer = Object.freeze({ status: 204 });

/** A list under its plural name, with how many items there are in all (see `listOf`). */
export function listed(name: string, items: readonly unknown[], total = items.length): object {
  return { [name]: items, total };
}

/** The items that the `limit` and `offset` of a query select (see `paging`). */
export function selected<Item>(
  items: readonly Item[],
  { limit, offset = 0 }: { readonly limit?: number; readonly offset?: number },
  sizes: { readonly default: number },
): Item[] {
  return items.slice(offset, offset + (limit ?? sizes.default));
}
