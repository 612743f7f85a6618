import { type HttpHandler, HttpResponse, http } from "msw";
import { shown } from "../contract/index.ts";
import { requestParts } from "./request-parts.ts";

/** A mock in this process, or any other object with a `fetch` method. */
interface Fetcher {
  fetch(request: Request): Promise<Response>;
  /** The addresses of the service in its contract. */
  readonly servers?: readonly string[];
}

/**
 * Returns MSW handlers that pass all requests below `baseUrl` to the mock, with its state, scenarios and journal. If a
 * scenario breaks the connection, the client gets a network error.
 *
 * @param baseUrl the address of the service that the client under test uses, without the project key; by default, the
 *   servers in the contract of the mock
 */
export function handlers(mock: Fetcher, baseUrl?: string): HttpHandler[] {
  const urls = baseUrl === undefined ? (mock.servers ?? []) : [baseUrl];
  if (urls.length === 0)
    throw new TypeError("handlers: baseUrl: expected a URL, as the contract has no server with a host, found nothing");
  return urls.map((url) => handlerOf(mock, url));
}

function handlerOf(mock: Fetcher, baseUrl: string): HttpHandler {
  if (!URL.canParse(baseUrl) || !/^https?:[^?#]*$/i.test(baseUrl)) {
    const allowed = "an http or https URL without a query, such as https://api.example.com";
    throw new TypeError(`handlers: baseUrl: expected ${allowed}, found ${shown(baseUrl)}`);
  }
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/$/, "");
  const base = `${origin}${basePath}`;
  return http.all(`${base}/*`, async ({ request }) => {
    const path = request.url.slice(base.length);
    try {
      return below(basePath, await mock.fetch(new Request(`http://resource-mock${path}`, requestParts(request))));
    } catch {
      return HttpResponse.error();
    }
  });
}

/** Returns the response with a `Location` that is below the base path, as the client sees the mock there. */
function below(basePath: string, response: Response): Response {
  const location = response.headers.get("Location");
  if (!location || !/^\/(?!\/)/.test(location) || location.startsWith(`${basePath}/`)) return response;
  const headers = new Headers(response.headers);
  headers.set("Location", `${basePath}${location}`);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
