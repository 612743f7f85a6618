import type { Operation, Parameter, ResponseRule } from "../contract/operation.ts";
import type { Schema } from "../contract/schema.ts";
import { Problem } from "./schemas.ts";

/** An operation of the control API, in the terms of the service's own table. */
export interface ControlOperation extends Operation {
  /** Of a body that may have one of several shapes, the schema of the one that a value is meant to have. */
  readonly shapeOf?: (body: unknown) => Schema;
  /** Answered to everybody, whatever the admin token: it tells nothing of any project. */
  readonly isOpen?: true;
}

/** An operation as the tables say it: none has scopes of its own. */
export type DescribedOperation = Omit<ControlOperation, "scopes">;

export const projectKey: Parameter = { in: "path", name: "projectKey", type: "string", description: "The project." };

export function pathParameter(name: string, description: string): Parameter {
  return { in: "path", name, type: "string", description };
}

export function query(name: string, type: Parameter["type"], more: Partial<Parameter> = {}): Parameter {
  return { in: "query", name, type, ...more };
}

/** Which part of a list is answered. */
export function paging(limit: { default: number; maximum: number }): Parameter[] {
  const { maximum } = limit;
  return [
    query("limit", "integer", { minimum: 0, maximum, description: `The most to answer; ${limit.default} by default.` }),
    query("offset", "integer", { minimum: 0, description: "How many to skip; 0 by default." }),
  ];
}

export function json(description: string, schema: Schema, more: Partial<ResponseRule> = {}): ResponseRule {
  return { description, schema, ...more };
}

export function jsonBody(schema: Schema, required = true) {
  return { required, mediaTypes: ["application/json"], schema };
}

export const nothing: ResponseRule = { description: "Done." };

/** A change may be refused to a page of another origin. */
export const changing = { 403: problem("A browser's page of another origin asked for it.") };

/** Every operation may be asked for with a wrong token or a wrong parameter. */
export const always = {
  400: problem("The request cannot be understood."),
  401: problem("The admin token is missing or wrong."),
};

/** What may be wrong with a body. */
export const takingBody = {
  ...changing,
  413: problem("The body is too large."),
  415: problem("The body is not sent as JSON."),
};

/** What may be wrong with a project, at any time. */
export const inProject = {
  404: problem("There is no such thing, or no project may have this key."),
  503: problem("The project was reset or closed meanwhile."),
};

export function problem(description: string, schema: Schema = Problem): ResponseRule {
  return { description, schema, mediaType: "application/problem+json" };
}
