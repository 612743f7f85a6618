import { object, string } from "./json-schema.ts";
import type { Operation, ResponseRule } from "./operation-table.ts";
import { mapValues } from "./text/shown.ts";

const OAuthError = object(["error"], { error: string, error_description: string });

function error(code: string, description: string, headers?: ResponseRule["headers"]) {
  return { code, response: { description, schema: OAuthError, ...(headers && { headers }) } };
}

const retryAfter = { "Retry-After": "The seconds to wait." };

/** The errors that rules and scenarios can return (RFC 6749, 5.2), by status. */
const errors = {
  400: error("invalid_request", "The token request is invalid."),
  401: error("invalid_client", "The client is unknown, or its secret is wrong."),
  429: error("temporarily_unavailable", "The client has requested too many tokens.", retryAfter),
  500: error("server_error", "The authorization server failed."),
  503: error("temporarily_unavailable", "The authorization server is unavailable.", retryAfter),
} as const;

/**
 * The token endpoint, as an operation of rules, scenarios and matches. It is no part of the contract, so it has no
 * fixtures, and no place in the coverage and in the OpenAPI document.
 */
export const tokenOperation: Operation = {
  // Only rules, matches and the journal have this id.
  id: "token",
  method: "POST",
  path: "/oauth/token",
  summary: "Issue a token",
  tag: "OAuth",
  parameters: [],
  responses: mapValues(errors, ({ response }) => response),
};

/** Returns the body of an error that a rule or scenario selects. */
export function tokenError(status: number) {
  const { code, response } = errors[status as keyof typeof errors] ?? errors[500];
  return oauthError(status, code, response.description);
}

/** Returns the body of an error with the members of RFC 6749, 5.2, and with those of every other error of the service. */
export function oauthError(statusCode: number, code: string, message: string) {
  return { statusCode, message, errors: [{ code, message }], error: code, error_description: message };
}
