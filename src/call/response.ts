import { errorBody, type ServiceError } from "../contract/service-error.ts";
import type { Fixture } from "../fixtures/fixture-set.ts";
import type { Fault } from "../scenarios/scenario.ts";

/** An answer before it is put on a wire. */
export interface ServiceResponse {
  /** 0 when the connection ends without one. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or null for no body. */
  readonly body: string | null;
  /** Where it came from, as `Mock-Source` says it. */
  readonly source: string;
  /** How it is sent, when not whole and at once. */
  readonly delivery?: Delivery;
}

export type Delivery = BrokenDelivery | DribbledDelivery;

/** The connection breaks: instead of the answer, or in the middle of it. */
export interface BrokenDelivery {
  readonly fault: Fault;
  /** Bytes that are no HTTP, where the fault sends such. */
  readonly noise: Uint8Array;
}

/** The body comes in pieces. */
export interface DribbledDelivery {
  readonly fault?: undefined;
  readonly chunks: number;
  /** Waits for as long as is between two chunks, or until the client is gone. */
  pause(gone: AbortSignal): Promise<void>;
}

const JSON_HEADERS = Object.freeze({ "Content-Type": "application/json" });
const NO_HEADERS = Object.freeze({});

/** An answer of JSON text out of the project's state. */
export function stateResponse(status: number, text: string | null, headers?: Record<string, string>): ServiceResponse {
  return { status, headers: jsonHeaders(text, headers), body: text, source: "state" };
}

/** An answer that is a fixture. */
export function fixtureResponse(fixture: Fixture): ServiceResponse {
  return {
    status: fixture.status,
    headers: jsonHeaders(fixture.text),
    body: fixture.text,
    source: `fixture:${fixture.path}`,
  };
}

/** The answer that stands for an error of the service. */
export function errorResponse(error: ServiceError): ServiceResponse {
  const body = JSON.stringify(errorBody(error));
  return { status: error.status, headers: jsonHeaders(body, error.headers), body, source: "error" };
}

/** No answer: the connection ends without one. */
export function noResponse(source: string, delivery: BrokenDelivery): ServiceResponse {
  return { status: 0, headers: NO_HEADERS, body: null, source, delivery };
}

/**
 * The answer that stands for a defect of resource-mock itself: told apart from every mocked error by its message and
 * source, and showing nothing of the machine.
 */
export function defectResponse(): ServiceResponse {
  const message = "resource-mock itself failed to answer this request; its log says why. Please report it.";
  const body = JSON.stringify({ statusCode: 500, message, errors: [{ code: "Defect", message }] });
  return { status: 500, headers: JSON_HEADERS, body, source: "defect" };
}

function jsonHeaders(body: string | null, more?: Record<string, string>): Readonly<Record<string, string>> {
  if (body === null) return more ?? NO_HEADERS;
  return more ? { ...JSON_HEADERS, ...more } : JSON_HEADERS;
}
