import { errorBody, type ServiceError } from "../../contract/index.ts";
import type { Fault } from "../../rules/index.ts";
import type { Fixture } from "../../state/index.ts";

/** Headers by name. Only `Set-Cookie` can have several values, as a comma cannot separate them (RFC 9110, section 5.3). */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/** A response as plain data, before it is sent. */
export interface ServiceResponse {
  /** 0 if the connection ends without a response. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** JSON text, or null for no body. An off-contract response can have any text or bytes. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** The value of `Mock-Source`. */
  readonly source: string;
  /** Set if the response is not validated against the contract. */
  readonly offContract?: true;
  /** The changes of the effect `evolve` in the body. Absent without changes. */
  readonly evolved?: readonly string[];
  /** The delivery, if not complete and immediate. */
  readonly delivery?: Delivery;
}

export type Delivery = BrokenDelivery | DribbledDelivery | StreamedDelivery;

/** The connection breaks before or during the response. */
export interface BrokenDelivery {
  readonly fault: Fault;
  /** The random bytes that the fault sends; empty for faults that send none. */
  readonly noise: Uint8Array;
}

/** The body is sent in chunks. */
export interface DribbledDelivery {
  readonly fault?: undefined;
  readonly chunks: number;
  /** Waits for the time between two chunks, or until `gone` aborts. */
  pause(gone: AbortSignal): Promise<void>;
}

/** The body is passed on as it arrives from the upstream. */
interface StreamedDelivery {
  readonly fault?: undefined;
  readonly stream: BodyStream;
}

/** A body that arrives from the upstream. */
export interface BodyStream {
  /** The size of the body in bytes, if the upstream sent it. */
  readonly length: number | undefined;
  /** Yields the body once. Throws if the body breaks off: the client must see a broken connection. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Ends the transfer, because the client has disconnected. */
  cancel(): void;
  /** Resolves after the last byte has arrived and before the client receives it, or when the body breaks off. */
  readonly ended: Promise<BodyEnd>;
}

/** The body of a response that has passed. */
export interface BodyEnd {
  /** The decoded body or its start, for the journal. */
  readonly body: string | Uint8Array | null;
  /** The size of the whole decoded body in bytes, if `body` is only its start. */
  readonly cutFrom?: number;
  readonly isBroken: boolean;
}

/** Returns the headers for a Response, which would join several values of a name with commas. */
export function pairsOf(headers: ResponseHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((each): [string, string] => [name, each]) : [[name, value]],
  );
}

const JSON_HEADERS = Object.freeze({ "Content-Type": "application/json" });
const NO_HEADERS = Object.freeze({});

/** Returns a response with JSON text from the state of the project. */
export function stateResponse(status: number, text: string | null, headers?: Record<string, string>): ServiceResponse {
  return { status, headers: jsonHeaders(text, headers), body: text, source: "state" };
}

/** Returns a response with the body of a fixture. */
export function fixtureResponse(fixture: Fixture): ServiceResponse {
  return {
    status: fixture.status,
    headers: jsonHeaders(fixture.text),
    body: fixture.text,
    source: `fixture:${fixture.path}`,
  };
}

/** Returns the response for a service error. */
export function errorResponse(error: ServiceError): ServiceResponse {
  const body = JSON.stringify(errorBody(error));
  return { status: error.status, headers: jsonHeaders(body, error.headers), body, source: "error" };
}

/** Returns a connection that ends without a response. */
export function noResponse(source: string, delivery: BrokenDelivery): ServiceResponse {
  return { status: 0, headers: NO_HEADERS, body: null, source, delivery };
}

/**
 * Returns the response for a defect of resource-mock itself. Its code and source differ from those of every mocked error.
 * It contains no details, as these could describe the machine.
 */
export function defectResponse(): ServiceResponse {
  const message = "resource-mock itself failed to handle this request. Its log contains the error; please report it.";
  const body = JSON.stringify({ statusCode: 500, message, errors: [{ code: "Defect", message }] });
  return { status: 500, headers: JSON_HEADERS, body, source: "defect" };
}

function jsonHeaders(body: string | null, more?: Record<string, string>): Readonly<Record<string, string>> {
  if (body === null) return more ?? NO_HEADERS;
  return more ? { ...JSON_HEADERS, ...more } : JSON_HEADERS;
}

/** Adds the headers of a rule. They override headers of the same name, which is case-insensitive. */
export function withOverrides(
  headers: Record<string, string | string[]>,
  overrides: ResponseHeaders | undefined,
): ResponseHeaders {
  for (const name in overrides) {
    const same = Object.keys(headers).find((other) => other.toLowerCase() === name.toLowerCase());
    if (same !== undefined) delete headers[same];
    headers[name] = overrides[name] ?? "";
  }
  return headers;
}
