import type { Origins } from "../call/origins.ts";
import type { Operation, Parameter, ResponseRule } from "../contract/operation.ts";
import type { QueryValues } from "../contract/parameters.ts";
import type { FromSchema, Schema } from "../contract/schema.ts";
import type { Engine } from "../engine/engine.ts";
import type { Project } from "../projects/project.ts";
import type { ControlResponse } from "./response.ts";
import { type Health, Problem } from "./schemas.ts";

/** What the control API works on, and who may use it. */
export interface Control {
  readonly engine: Engine;
  readonly operations: readonly ControlOperation[];
  /** Of resource-mock. */
  readonly version: string;
  readonly health: () => Health;
  /** Loads the HTML of the dashboard. */
  readonly dashboardPage: () => Promise<string>;
  /** What callers must send as their bearer token; without it, anybody may call. */
  readonly adminToken?: string;
  /** The pages of other origins that may change something; none by default. */
  readonly origins?: Origins;
}

/** An operation of the control API: a row of an operation table, and the function that handles its calls. */
export interface ControlOperation extends Operation {
  /** Needs no admin token: nothing of any project shows in its answers. */
  readonly isOpen: boolean;
  /** Its calls get the project that the path names. The first such call creates the project. */
  readonly isInProject: boolean;
  /** If the body may have one of several shapes: the schema of the shape that the client most likely meant. */
  readonly shapeOf?: (body: unknown) => Schema;
  /**
   * For an operation that takes much at once, the lists in its body by JSON pointer, each with the largest size of an
   * item in bytes. Items are read and validated one by one.
   */
  readonly lists?: Readonly<Record<string, number>>;
  handle(call: ControlCall): ControlResponse | Promise<ControlResponse>;
}

/** A call, as its handler sees it. Path, query and body are valid; their types come from the operation. */
export interface ControlCall<
  Path = Readonly<Record<string, string>>,
  Query = QueryValues,
  Body = unknown,
  Place = Project | undefined,
> {
  readonly control: Control;
  readonly engine: Engine;
  /** The project of an operation within a project. */
  readonly project: Place;
  /** The path's parameters, decoded. */
  readonly path: Path;
  readonly query: Query;
  /** The JSON in the body; `{}` when an optional body is left out. */
  readonly body: Body;
  /** The scheme and host that the client called. */
  readonly origin: string;
  /** By its lower-case name. */
  header(name: string): string | undefined;
  /** Aborts when the client goes away. */
  signal(): AbortSignal;
}

/** An operation without its id and tag, which are its place in the table of all operations (`operations.ts`). */
export type DefinedOperation = Omit<ControlOperation, "id" | "tag">;

/** What a definition says beside method and path. Parameters and errors that many operations share are added to it. */
interface Definition<Names extends string, Query extends QueryRules, Body extends Schema | undefined, Place> {
  readonly summary: string;
  readonly description?: string;
  readonly isOpen?: true;
  /** The path's parameters, but the project key. */
  readonly pathParameters?: { readonly [Name in Exclude<Names, "projectKey">]: PathParameter };
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyIsOptional?: true;
  readonly shapeOf?: (body: unknown) => Schema;
  readonly lists?: Readonly<Record<string, number>>;
  readonly responses: Operation["responses"];
  handle(
    call: ControlCall<
      { readonly [Name in Names]: string },
      FromQuery<Query>,
      Body extends Schema ? FromSchema<Body> : undefined,
      Place
    >,
  ): ControlResponse | Promise<ControlResponse>;
}

export type PathParameter = Readonly<Required<Pick<Parameter, "description" | "example">>>;

/** Query parameters by name. */
type QueryRules = {
  readonly [name: string]: Pick<Parameter, "description" | "minimum" | "maximum" | "choices" | "schema"> & {
    readonly type: keyof QueryTypes;
  };
};
interface QueryTypes {
  string: string;
  integer: number;
  boolean: boolean;
}
export type FromQuery<Query extends QueryRules> = {
  readonly [Name in keyof Query]?: Query[Name] extends { choices: readonly (infer Choice)[] }
    ? Choice
    : QueryTypes[Query[Name]["type"]];
};

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type Define<Place> = <
  const Path extends string,
  const Query extends QueryRules = Record<never, never>,
  const Body extends Schema | undefined = undefined,
>(
  method: Operation["method"],
  path: Path,
  definition: Definition<NamesIn<Path>, Query, Body, Place>,
) => DefinedOperation;

/** Defines an operation below `/__admin`. */
export const onServer: Define<undefined> = (method, path, definition) => {
  return define(method, `/__admin${path}`, false, definition);
};

/** Defines an operation below the path of a project, which its calls get. */
export const inProject: Define<Project> = (method, path, definition) => {
  return define(method, `/__admin/projects/{projectKey}${path}`, true, definition);
};

function define(
  method: Operation["method"],
  path: string,
  isInProject: boolean,
  definition: Definition<string, QueryRules, Schema | undefined, Project | undefined>,
): DefinedOperation {
  const { pathParameters = {}, query = {}, body, bodyIsOptional, isOpen = false, responses, ...rest } = definition;
  return {
    ...rest,
    method,
    path,
    isOpen,
    isInProject,
    parameters: [
      ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]): Parameter => {
        return { in: "path", name, type: "string", ...(name === "projectKey" ? projectKey : pathParameters[name]) };
      }),
      ...Object.entries(query).map(([name, rule]): Parameter => ({ in: "query", name, ...rule })),
    ],
    body: body && { required: !bodyIsOptional, mediaTypes: ["application/json"], schema: body },
    responses: {
      ...always,
      ...(isOpen ? undefined : closed),
      ...(method === "GET" ? undefined : changing),
      ...(path.includes("{projectKey}") ? ofProject : undefined),
      ...(body || method === "POST" ? receiving : undefined),
      ...(isInProject ? withinProject : undefined),
      ...responses,
    },
    // The admin token opens all of them.
    scopes: [],
  };
}

const projectKey: PathParameter = { description: "The project.", example: "my-project" };

type Responses = Operation["responses"];
export const projectGone = problem("The project was reset or closed meanwhile.");
export const noRoom = problem("The state, the number of projects or the response reached its limit.");

const always: Responses = { 400: problem("The request cannot be understood.") };
const closed: Responses = { 401: problem("The admin token is missing or wrong.") };
const changing: Responses = { 403: problem("A browser's page of another origin asked for it.") };
const ofProject: Responses = { 404: problem("There is no such thing, or no project may have this key.") };
const receiving: Responses = {
  413: problem("The body is too large."),
  415: problem("The body is not sent as JSON."),
};
const withinProject: Responses = {
  503: projectGone,
  507: noRoom,
};

export const nothing: ResponseRule = { description: "Done." };

export function json(description: string, schema: Schema, more: Partial<ResponseRule> = {}): ResponseRule {
  return { description, schema, ...more };
}

export function problem(description: string, schema: Schema = Problem): ResponseRule {
  return { description, schema, mediaType: "application/problem+json" };
}

/** The schema of a list under its plural name, with how many items there are in all. */
export function listOf<const Name extends string, Item extends Schema>(name: Name, items: Item) {
  return {
    type: "object",
    required: [name, "total"],
    properties: { [name]: { type: "array", items }, total: { type: "integer", minimum: 0 } },
  } as const satisfies Schema;
}

/** Generated clients may have 32 bits for an integer. */
const MAX_OFFSET = 2 ** 31 - 1;

/** The parameters that select a part of a list. */
export function paging({ default: size, maximum }: { default: number; maximum: number }) {
  return {
    limit: { type: "integer", minimum: 0, maximum, description: `The most to answer; ${size} by default.` },
    offset: { type: "integer", minimum: 0, maximum: MAX_OFFSET, description: "How many to skip; 0 by default." },
  } as const satisfies QueryRules;
}
