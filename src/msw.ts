import { type HttpHandler, HttpResponse, http } from "msw";
import { requestParts } from "./http/request-parts.ts";

/** What answers: a mock in this process, or anything else that fetches. */
interface Fetching {
  fetch(request: Request): Promise<Response>;
}

/**
 * Handlers for MSW that answer whatever is under `baseUrl` from the mock: the same state, scenarios and journal. A
 * connection that a scenario breaks is a network error to the client.
 *
 * @param baseUrl the service's address as the client under test has it, without the project key
 */
export function handlers(mock: Fetching, baseUrl: string): HttpHandler[] {
  const { origin, pathname } = new URL(baseUrl);
  const base = `${origin}${pathname}`.replace(/\/$/, "");
  return [
    http.all(`${base}/*`, async ({ request }) => {
      const path = request.url.slice(base.length);
      try {
        return await mock.fetch(new Request(`http://resource-mock${path}`, requestParts(request)));
      } catch {
        return HttpResponse.error();
      }
    }),
  ];
}
