import { type HttpHandler, HttpResponse, http } from "msw";
import { requestParts } from "./request-parts.ts";

/** A mock in this process, or any other object with a `fetch` method. */
interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/**
 * Returns MSW handlers that pass all requests below `baseUrl` to the mock, with its state, scenarios and journal. If a
 * scenario breaks the connection, the client gets a network error.
 *
 * @param baseUrl the address of the service that the client under test uses, without the project key
 */
export function handlers(mock: Fetcher, baseUrl: string): HttpHandler[] {
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
