import { errorBody, type ServiceError } from "../contract/errors.ts";
import type { Fixture } from "../fixtures/fixture-set.ts";

/** An answer before it is put on a wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or null for no body. */
  readonly body: string | null;
  /** Where it came from, as `Mock-Source` says it. */
  readonly source: string;
}

const JSON_HEADERS = Object.freeze({ "Content-Type": "application/json" });
const NO_HEADERS = Object.freeze({});

/** An answer of JSON text out of the project's state. */
export function stateAnswer(status: number, text: string | null, headers?: Record<string, string>): Answer {
  return { status, headers: jsonHeaders(text, headers), body: text, source: "state" };
}

/** An answer that is a fixture. */
export function fixtureAnswer(fixture: Fixture): Answer {
  return {
    status: fixture.status,
    headers: jsonHeaders(fixture.text),
    body: fixture.text,
    source: `fixture:${fixture.place}`,
  };
}

/** The answer that stands for an error of the service. */
export function errorAnswer(error: ServiceError): Answer {
  const body = JSON.stringify(errorBody(error));
  return { status: error.status, headers: jsonHeaders(body, error.headers), body, source: "error" };
}

/**
 * The answer that stands for a defect of resource-mock itself: told apart from every mocked error by its message and
 * source, and showing nothing of the machine.
 */
export function defectAnswer(): Answer {
  const message = "resource-mock itself failed to answer this request; its log says why. Please report it.";
  const body = JSON.stringify({ statusCode: 500, message, errors: [{ code: "Defect", message }] });
  return { status: 500, headers: JSON_HEADERS, body, source: "defect" };
}

function jsonHeaders(body: string | null, more?: Record<string, string>): Readonly<Record<string, string>> {
  if (body === null) return more ?? NO_HEADERS;
  return more ? { ...JSON_HEADERS, ...more } : JSON_HEADERS;
}
