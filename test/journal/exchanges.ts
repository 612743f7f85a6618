import type { Exchange } from "../../src/journal/kept-exchange.ts";

/** Returns a minimal exchange with the given members. */
export function exchangeWith(more: Partial<Exchange> = {}): Exchange {
  return {
    id: "00000000-1",
    receivedAt: 0,
    serverTime: 0,
    arrival: 0,
    serial: 0,
    duration: 0,
    method: "GET",
    origin: "http://localhost",
    path: "/p/resource",
    query: "",
    headers: {},
    requestBody: undefined,
    operationId: "queryResources",
    pathParameters: { projectKey: "p" },
    actions: [],
    status: 200,
    isBroken: false,
    responseHeaders: {},
    responseBody: null,
    source: "state",
    decisions: [],
    violations: [],
    unnamed: [],
    ...more,
  };
}
