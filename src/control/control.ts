import type { QueryValues } from "../contract/parameters.ts";
import type { Engine } from "../engine/engine.ts";
import type { Project } from "../projects/project.ts";
import type { Health } from "./schemas.ts";

/** What the control API works on, and who may use it. */
export interface Control {
  readonly engine: Engine;
  /** Of resource-mock. */
  readonly version: string;
  readonly health: () => Health;
  /** What callers must send as their bearer token; without it, anybody may call. */
  readonly adminToken?: string;
  /** The origin whose pages may call, as CORS names it; `*` for every one. */
  readonly cors?: string;
}

/** One call, as the handlers see it: everything in it fits its operation's description. */
export interface ControlCall {
  readonly control: Control;
  readonly engine: Engine;
  /** The path's parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** The JSON in the body; undefined without one. */
  readonly body: unknown;
  /** By its lower-case name. */
  header(name: string): string | undefined;
  /** Aborts when the client goes away. */
  signal(): AbortSignal;
}

/** A call within a project. */
export interface ProjectCall extends ControlCall {
  readonly project: Project;
}

/** An answer, before it is put on a wire: a JSON value, or content of another type, or nothing. */
export interface ControlAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly content?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

export type Handler = (call: ControlCall) => ControlAnswer | Promise<ControlAnswer>;
export type ProjectHandler = (call: ProjectCall) => ControlAnswer | Promise<ControlAnswer>;

export function ok(json: unknown): ControlAnswer {
  return { status: 200, json };
}

export function created(json: unknown, headers?: Record<string, string>): ControlAnswer {
  return { status: 201, json, headers };
}

/** Done, and nothing to be said about it. */
export const done: ControlAnswer = Object.freeze({ status: 204 });

/** The part of a list that `limit` and `offset` ask for, with how many there are in all. */
export function page<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
  { query }: ControlCall,
  defaultLimit: number,
): { [name in Name]: Item[] } & { total: number } {
  const { limit = defaultLimit, offset = 0 } = query as { limit?: number; offset?: number };
  return { [name]: items.slice(offset, offset + limit), total: items.length } as { [name in Name]: Item[] } & {
    total: number;
  };
}
