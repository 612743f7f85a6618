/**
 * The error catalogue of the service: every code that a body of this service's errors can hold, with its status.
 * The interface names only 409 (section 7); the rest is DESIGN's choice, repeated in the README and tested equal to it.
 */
export const errorCatalogue = {
  InvalidJsonInput: { status: 400, meaning: "The body is not JSON." },
  InvalidInput: { status: 400, meaning: "The request as a whole cannot be understood." },
  InvalidField: { status: 400, meaning: "One value breaks the contract; `field` names its place." },
  invalid_token: { status: 401, meaning: "The bearer token is missing, malformed, unknown, expired or revoked." },
  insufficient_scope: { status: 403, meaning: "The token does not grant a scope that the operation asks for." },
  ResourceNotFound: { status: 404, meaning: "There is no resource with this id or key." },
  EndpointNotFound: { status: 404, meaning: "The path is none of the interface's." },
  MethodNotAllowed: { status: 405, meaning: "The path exists, with other methods; `Allow` names them." },
  ConcurrentModification: { status: 409, meaning: "The version sent is stale; `currentVersion` holds the actual one." },
  ContentTooLarge: { status: 413, meaning: "The body is larger than the settings allow." },
  UnsupportedMediaType: {
    status: 415,
    meaning: "The body's content type is not one that the operation takes, or the body is encoded.",
  },
  TooManyRequests: { status: 429, meaning: "The client is asked to slow down; `Retry-After` says for how long." },
  General: { status: 500, meaning: "A server error that a scenario asked for." },
  ServiceUnavailable: { status: 503, meaning: "The service, or this project's state, cannot answer right now." },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** Codes that only the control API's errors have: no client of the service sees them. */
export const controlErrorCatalogue = {
  CrossOriginRequest: { status: 403, meaning: "A page of another origin may not change anything here." },
  RequestsMissing: { status: 408, meaning: "The requests that were waited for have not arrived in time." },
  DuplicateValue: { status: 409, meaning: "An id or key is another resource's already." },
  LimitReached: { status: 409, meaning: "There are as many of these as there may be." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
export type ControlErrorCode = keyof typeof controlErrorCatalogue;

const catalogues = { ...errorCatalogue, ...controlErrorCatalogue };

/** One entry of the `errors` array in an error body. Further members depend on the code (`field`, `currentVersion`, …). */
export interface ErrorDetail {
  code: ErrorCode | ControlErrorCode;
  message: string;
  /** Where: a JSON pointer into the body, or the name of a query parameter, path parameter or header. */
  field?: string;
  [member: string]: unknown;
}

/** The error body of every operation (DESIGN section 3); 401 and 403 add the members of RFC 6750. */
export interface ErrorBody {
  statusCode: number;
  message: string;
  errors: ErrorDetail[];
  error?: string;
  error_description?: string;
}

/** At most this many details go into one body, so that an error never grows with the request that caused it. */
export const MAX_ERROR_DETAILS = 20;
/** Nor do its texts, which may hold what a client has sent: longer ones are cut. In UTF-16 units. */
const MAX_ERROR_TEXT = 1000;

/**
 * The one error type that the rules of the service throw; rendered in one place for the service and in one for the
 * control API. Anything else that is thrown is a defect of resource-mock itself.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode | ControlErrorCode;
  readonly details: ErrorDetail[];
  readonly headers: Record<string, string>;

  constructor(details: ErrorDetail | ErrorDetail[], headers: Record<string, string> = {}) {
    const all = Array.isArray(details) ? details : [details];
    const first = all[0];
    if (!first) throw new TypeError("a ServiceError needs at least one detail");
    const message = cut(first.message);
    super(all.length === 1 ? message : `${message} (and ${all.length - 1} more)`);
    this.code = first.code;
    this.details = all.slice(0, MAX_ERROR_DETAILS).map(withinBounds);
    this.headers = headers;
  }

  get status(): number {
    return catalogues[this.code].status;
  }
}

/** A value that is not what it should be. `field` is where it stands: a JSON pointer, or a parameter's name. */
export function invalidField(field: string, message: string): ErrorDetail {
  return { code: "InvalidField", message: field === "" ? message : `${field}: ${message}`, field };
}

function withinBounds(detail: ErrorDetail): ErrorDetail {
  const { message, field = "" } = detail;
  if (message.length <= MAX_ERROR_TEXT && field.length <= MAX_ERROR_TEXT) return detail;
  return { ...detail, message: cut(message), ...(field !== "" && { field: cut(field) }) };
}

function cut(text: string): string {
  return text.length > MAX_ERROR_TEXT ? `${text.slice(0, MAX_ERROR_TEXT)}…` : text;
}

/** The body that stands for the error on the wire. */
export function errorBody(error: ServiceError): ErrorBody {
  const body: ErrorBody = { statusCode: error.status, message: error.message, errors: error.details };
  if (error.status === 401 || error.status === 403) {
    body.error = error.code;
    body.error_description = error.message;
  }
  return body;
}

const SHOWN = 60;

/** A value as an error message shows it: JSON, cut short, so that a message stays small whatever was sent. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (value !== null && typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  // Not as JSON, which has no NaN and throws at a bigint.
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** The candidate that is fewest edits away from `word`, when it is near enough to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.round(word.length / 2.5)) + 1;
  if (word.length > 100) return undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * ` Did you mean "x"?`, or nothing when no candidate is near.
 *
 * @param prefix what stands before the word and each candidate; left out of both, as it says nothing of their nearness
 */
export function didYouMean(word: string, candidates: Iterable<string>, prefix = ""): string {
  const best = nearest(word, candidates);
  return best === undefined ? "" : ` Did you mean "${prefix}${best}"?`;
}

/** What is wrong with a name that is none of those that are known where it stands: the one that was meant, or all. */
export function unknownName(name: string, known: readonly string[]): string {
  const all = known.length > 0 ? ` Known: ${known.join(", ")}.` : " There are none here.";
  return `is not known here.${didYouMean(name, known) || all}`;
}

/** `1 item`, `2 items`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** How many insertions, removals and replacements of one character turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substituted));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
