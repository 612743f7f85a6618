import { cut, ServiceError } from "../contract/index.ts";
import { allowedOrigin, header, isSameSecret, type ServiceRequest } from "../engine/index.ts";
import type { Control } from "./define-operation.ts";

/** Throws `invalid_token` (401) if the server has an admin token and the request does not contain it. */
export function admitCaller({ adminToken: expected }: Control, request: ServiceRequest): void {
  if (expected === undefined) return;
  const sent = /^Bearer +(\S+)$/i.exec(header(request, "authorization") ?? "")?.[1];
  if (sent !== undefined && isSameSecret(sent, expected)) return;
  const message =
    sent === undefined
      ? 'Authorization: expected "Bearer <admin token>", found no bearer token'
      : "Authorization: expected the admin token, found another token";
  throw new ServiceError(
    { code: "invalid_token", message },
    { "WWW-Authenticate": 'Bearer realm="resource-mock admin"' },
  );
}

/**
 * Throws `CrossOriginRequest` (403) if a page of another origin sent the request and the server does not allow this
 * origin. Browsers send some cross-origin requests without a preflight request, so the server checks the header itself.
 */
export function admitOrigin({ origins }: Control, request: ServiceRequest): void {
  // Only browsers send this header, with every request that can change data.
  const origin = header(request, "origin");
  const host = header(request, "host");
  if (origin === undefined || host === undefined || URL.parse(origin)?.host === host.toLowerCase()) return;
  if (origins !== undefined && allowedOrigin(origins, origin) !== undefined) return;
  const message = `Origin: expected the origin of this server, found "${cut(origin, 200)}". To allow an origin, use --cors or the option cors`;
  throw new ServiceError({ code: "CrossOriginRequest", message });
}
