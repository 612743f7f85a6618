import {
  type Awaitable,
  type Contract,
  type FromSchema,
  JSON_TYPE,
  MAX_INT32,
  MAX_LIST_ITEMS,
  type Operation,
  type Parameter,
  type QueryValues,
  type ResponseRule,
  type Role,
  type Schema,
  string,
} from "../contract/index.ts";
import type { Access, Engine } from "../engine/index.ts";
import type { Project } from "../project/index.ts";
import type { ControlResponse } from "./control-response.ts";
import { type Health, Problem } from "./control-schemas.ts";
import type { Controls } from "./subjects.ts";

/** Each function loads the HTML of a page that the control API serves. */
export interface Pages {
  readonly dashboard: () => Promise<string>;
}

/** The server behind the control API, and its access rules. */
export interface Control extends Access {
  readonly engine: Engine;
  /** What the service adds. */
  readonly controls: () => Promise<Controls>;
  /** Loads all operations of the control API. */
  readonly operations: () => Promise<readonly ControlOperation[]>;
  /** The version of resource-mock. */
  readonly version: string;
  readonly health: () => Health;
  /** The CA that signed the certificate of the server, as PEM. */
  readonly caCertificate?: string;
  readonly pages: Pages;
}

/** An operation of the control API, with the function that handles its calls. */
export interface ControlOperation extends Operation {
  /** The operation needs no admin token, as its responses contain no project data. */
  readonly isOpen: boolean;
  /** Calls receive the project in the path. The first call creates this project. */
  readonly isInProject: boolean;
  /** Whether the call creates the project, if it does not exist. By default, every method but GET does. */
  readonly opensProject: boolean;
  /**
   * The part of the mock that the call reads or changes. Other processes can share it (see Sharing). By default, the
   * project in the path; for operations outside of projects, the server.
   */
  readonly reach: Reach;
  /** Returns the keys of the projects in the body that the call reads or changes, in addition to the one in the path. */
  readonly projectsIn?: (body: unknown) => readonly string[];
  /** Returns the schema that the client most likely intended, for a body with several possible schemas. */
  readonly shapeOf?: (body: unknown) => Schema;
  /** The body contains resources, images or a state, so it can be larger than that of other calls. */
  readonly holdsState?: true;
  /** The most levels of nesting in the body, which can have levels around values of the state; by default, `MAX_JSON_DEPTH`. */
  readonly depth?: number;
  /** A body of another call that clients send to this one by mistake. */
  readonly bodyElsewhere?: {
    /** A sentence that names the other call. */
    readonly hint: string;
    /** Throws ServiceError if the bytes are such a body. */
    refuse(bytes: Uint8Array): void;
  };
  handle(call: ControlCall): Handled;
}

/** The response of a handler; without one, 204. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response returns nothing
type Handled = ControlResponse | void | Promise<ControlResponse | void>;

/**
 * The part of the mock that a call reads or changes: only this process, the project in the path, all projects, or the state
 * that belongs to no project, such as tokens, together with the project in the path or body. `own steps`: the call runs its
 * steps on the project in the path itself, with `step`, as it works for long in between. `wait`: the call waits for requests
 * to the project that are still to come.
 */
export type Reach = "process" | "project" | "own steps" | "wait" | "all projects" | "server";

/** The arguments of a handler. Path, query and body are valid; the operation defines their types. */
export interface ControlCall<
  Path = Readonly<Record<string, string>>,
  Query = QueryValues,
  Body = unknown,
  CallProject = Project | undefined,
> {
  readonly control: Control;
  readonly engine: Engine;
  /** The project in the path, for operations with `isInProject`. */
  readonly project: CallProject;
  /** The path parameters, decoded. */
  readonly path: Path;
  readonly query: Query;
  /** The JSON in the body; `{}` for an absent optional body. */
  readonly body: Body;
  /** The scheme and host that the client called. */
  readonly origin: string;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Returns a signal that aborts when the client disconnects. */
  signal(): AbortSignal;
  /** Runs a step on the project in the path (see Home). */
  step<T>(use: (project: Project) => Awaitable<T>): Promise<T>;
}

/** An operation without id and tag. The table in `subjects.ts` adds both. */
export type DefinedOperation = Omit<ControlOperation, "id" | "tag">;

type Defined = "id" | "tag" | "method" | "path" | "summary" | "parameters" | "body" | "isInProject" | "handle";

/** The definition of an operation, without method and path. `define` adds defaults, shared parameters and errors. */
interface Definition<Names extends string, Query extends Members, Body extends Schema | undefined, CallProject>
  extends Pick<ControlOperation, "summary">,
    Partial<Omit<ControlOperation, Defined>> {
  /** The path parameters, except the project key. */
  readonly pathParameters?: { readonly [Name in Exclude<Names, "projectKey">]: PathParameter };
  /** The schemas of the query parameters by name. */
  readonly query?: Query;
  /** The descriptions of the request headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** The schema of each line, if the body can be JSON lines too. The handler then receives the bytes. */
  readonly lines?: Schema;
  readonly bodyIsOptional?: true;
  /** An example of the body, or a function that returns one for the document of the control API. */
  readonly example?: object | ExampleOf;
  handle(call: ControlCall<{ readonly [Name in Names]: string }, FromQuery<Query>, BodyOf<Body>, CallProject>): Handled;
}

export type ExampleOf = (contract: Contract, controls: Controls) => unknown;

/** Returns the id of the first operation of the contract with this role; without one, of its first operation. */
export function operationThat(does: Role["does"], { operations }: Contract): string | undefined {
  return (operations.find(({ role }) => role?.does === does) ?? operations[0])?.id;
}

export type PathParameter = Readonly<Required<Pick<Parameter, "description" | "example">>>;

type Members = { readonly [name: string]: Schema };

/** The values of query parameters. */
export type FromQuery<Query extends Members> = FromSchema<{ readonly type: "object"; readonly properties: Query }>;

type BodyOf<Body> = Body extends Schema ? FromSchema<Body> : undefined;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type Define<CallProject> = <
  const Path extends string,
  const Query extends Members = Record<never, never>,
  const Body extends Schema | undefined = undefined,
>(
  method: Operation["method"],
  path: Path,
  definition: Definition<NamesIn<Path>, Query, Body, CallProject>,
) => DefinedOperation;

/** Returns an operation below `/__admin`. */
export const onServer: Define<undefined> = (method, path, definition) =>
  define(method, `/__admin${path}`, false, definition);

/** Returns an operation below `/__admin/projects/{projectKey}`, whose calls receive the project. */
export const inProject: Define<Project> = (method, path, definition) =>
  define(method, `/__admin/projects/{projectKey}${path}`, true, definition);

function define(
  method: Operation["method"],
  path: string,
  isInProject: boolean,
  definition: Definition<string, Members, Schema | undefined, Project | undefined>,
): DefinedOperation {
  const { body, lines, bodyIsOptional, example, pathParameters = {}, query = {}, headers = {}, ...rest } = definition;
  const { isOpen = false, opensProject = method !== "GET", reach = isInProject ? "project" : "server" } = rest;
  const { responses = {} } = rest;
  const hasContent = Object.keys(responses).some((status) => Number(status) < 400);
  return {
    ...rest,
    method,
    path,
    isOpen,
    isInProject,
    opensProject,
    reach,
    body: body && {
      required: !bodyIsOptional,
      mediaTypes: [...(lines ? [LINES_TYPE] : []), JSON_TYPE],
      schema: body,
      example,
      ...(lines && { schemas: { [LINES_TYPE]: lines } }),
    },
    parameters: [
      ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]): Parameter => {
        return { in: "path", name, schema: string, ...(name === "projectKey" ? projectKey : pathParameters[name]) };
      }),
      ...Object.entries(query).map(([name, { description, default: _default, ...schema }]): Parameter => {
        return { in: "query", name, description, schema };
      }),
      ...Object.entries(headers).map(([name, description]): Parameter => {
        return { in: "header", name, schema: string, description };
      }),
    ],
    responses: {
      ...when(!hasContent, { 204: { description: "Success, without a body." } }),
      400: problem("The request is invalid."),
      ...when(!isOpen, { 401: problem("The admin token is missing or invalid.") }),
      403: problem("A page of another origin sent the request, or a browser to an unknown host name."),
      ...when(path.includes("{projectKey}"), { 404: problem("Not found, or invalid project key.") }),
      ...when(body !== undefined || method === "POST", {
        413: problem("The body is too large."),
        415: problem("The content type of the body is another one."),
      }),
      ...when(isInProject, { 503: projectGone, 507: insufficientStorage }),
      ...responses,
    },
  };
}

function when(applies: boolean, responses: Operation["responses"]): Operation["responses"] {
  return applies ? responses : {};
}

/** The media types of bodies: one JSON value, or one in each line. */
export const LINES_TYPE = "application/x-ndjson";

const projectKey: PathParameter = {
  description: "The project key. A sandbox has the key of its project, `~` and its name: `my-project~t1`.",
  example: "my-project",
};

export const projectGone = problem("The project was reset or deleted during the request.");
export const insufficientStorage = problem("The state, the number of projects or the response reached its limit.");

export function json(description: string, schema: Schema, more: Partial<ResponseRule> = {}): ResponseRule {
  return { description, schema, ...more };
}

export function problem(description: string, schema: Schema = Problem): ResponseRule {
  return { description, schema, mediaType: "application/problem+json" };
}

/** Returns the schema of a list: the items under `name`, and the number of all items as `total`. */
export function listOf<const Name extends string, Item extends Schema>(name: Name, items: Item) {
  return {
    type: "object",
    required: [name, "total"],
    properties: { [name]: { type: "array", items }, total: { type: "integer", minimum: 0 } },
  } as const satisfies Schema;
}

/** The number of items in a page of a list, without the parameter `limit`. */
export const PAGE = 500;

/** The query parameters that select a page of a list. */
export const paging = {
  limit: {
    type: "integer",
    minimum: 0,
    maximum: MAX_LIST_ITEMS,
    description: `The maximum number of items; ${PAGE} by default.`,
  },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: MAX_INT32,
    description: "The number of items to skip; 0 by default.",
  },
} as const satisfies Members;
