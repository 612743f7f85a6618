import { isSameSecret } from "../auth/same-secret.ts";
import { header, type ServiceRequest } from "../call/request.ts";
import { ServiceError } from "../contract/service-error.ts";
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
export function admitOrigin({ cors: allowed }: Control, request: ServiceRequest): void {
  // Only browsers send it, with every request that may change something.
  const origin = header(request, "origin");
  const host = header(request, "host");
  if (origin === undefined || host === undefined || allowed === "*" || origin === allowed) return;
  if (URL.parse(origin)?.host === host.toLowerCase()) return;
  const message = `Pages of ${origin.slice(0, 200)} may not change anything here; --cors allows an origin`;
  throw new ServiceError({ code: "CrossOriginRequest", message });
}
