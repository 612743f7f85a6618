import { isSameSecret } from "../auth/same-secret.ts";
import { allowedOrigin } from "../call/origins.ts";
import { header, type ServiceRequest } from "../call/request.ts";
import { ServiceError } from "../contract/service-error.ts";
import { cut } from "../text/shown.ts";
import type { Control } from "./operation.ts";

/** Lets in who holds the admin token, or everybody where there is none. Throws `invalid_token` (401). */
export function admitCaller({ adminToken: expected }: Control, request: ServiceRequest): void {
  if (expected === undefined) return;
  const sent = /^Bearer +(\S+)$/i.exec(header(request, "authorization") ?? "")?.[1];
  if (sent !== undefined && isSameSecret(sent, expected)) return;
  const message =
    sent === undefined
      ? "The control API asks for the admin token: Authorization: Bearer <token>"
      : "The bearer token is not the admin token";
  throw new ServiceError(
    { code: "invalid_token", message },
    { "WWW-Authenticate": 'Bearer realm="resource-mock admin"' },
  );
}

/**
 * Lets in what no page of another origin has asked a browser for, whatever the browser itself lets through.
 * Throws `CrossOriginRequest` (403).
 */
export function admitOrigin({ origins }: Control, request: ServiceRequest): void {
  // Only browsers send it, with every request that may change something.
  const origin = header(request, "origin");
  const host = header(request, "host");
  if (origin === undefined || host === undefined || URL.parse(origin)?.host === host.toLowerCase()) return;
  if (origins !== undefined && allowedOrigin(origins, origin) !== undefined) return;
  const message = `Origin: expected the origin of this server, found "${cut(origin, 200)}"; --cors or the option cors allows another`;
  throw new ServiceError({ code: "CrossOriginRequest", message });
}
