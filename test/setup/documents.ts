import { json } from "./mock.ts";

/** A mock under test, or one of the library. */
interface Fetching {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Returns an OpenAPI document with these paths. */
export function documentOf(paths: object, others: object = {}): object {
  return { openapi: "3.1.0", info: { title: "Kitchen", version: "1" }, paths, ...others };
}

/** Returns a response object with a JSON body. */
export function jsonResponse(schema: object | undefined, example?: unknown, others: object = {}): object {
  const content = { "application/json": { ...(schema && { schema }), ...(example !== undefined && { example }) } };
  return { description: "ok", content, ...others };
}

/** Returns the schema of an object with these members, which are required. */
export function objectOf(properties: Record<string, object>): object {
  return { type: "object", required: Object.keys(properties), properties };
}

/** What a test sends with a request: headers; and a body, which is JSON unless it is a text or bytes. */
type Sent = Readonly<Record<string, string>>;

/** Sends a request such as `GET /dishes`. Returns the response with its body, parsed if it is JSON. */
export async function send(mock: Fetching, request: string, headers: Sent = {}, body?: unknown) {
  const [method = "", path = ""] = request.split(/ (.*)/);
  const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const init = isRaw ? { method, headers, body: body as BodyInit | null } : json(method, body, headers);
  const response = await mock.fetch(path, init);
  const text = await response.text();
  const type = response.headers.get("Content-Type");
  return {
    status: response.status,
    headers: response.headers,
    type,
    reason: response.headers.get("Mock-Reason"),
    isOffContract: response.headers.get("Mock-Off-Contract") === "true",
    body: type?.includes("json") && text !== "" ? JSON.parse(text) : text,
  };
}
