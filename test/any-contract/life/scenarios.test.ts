import { expect, onTestFinished, test } from "vitest";
import { createResourceMock } from "../../../src/index.ts";
import { library, memberId } from "./library.ts";

const loan = { version: 1, bookId: 1, memberId };
const requests = {
  documented: ["GET", "/books"],
  undocumented: ["GET", "/opening-hours"],
  change: ["PUT", "/loans/1", loan],
  action: ["POST", "/loans/1/renew"],
} as const;

/** What each offered scenario does with these requests: a status, headers, or how it breaks. */
const effects: Record<string, (seen: (name: keyof typeof requests) => Promise<Seen>) => Promise<void>> = {
  async "bad-gateway"(seen) {
    expect(await seen("documented")).toMatchObject({ status: 502, type: "text/html", isOffContract: true });
  },
  async "concurrent-writer"(seen) {
    expect(await seen("change")).toMatchObject({ status: 409, type: "application/problem+json", isOffContract: false });
    expect(await seen("change")).toMatchObject({ status: 409 });
  },
  async conflict(seen) {
    for (const _ of [1, 2]) expect((await seen("change")).status).toBe(409);
  },
  async "connection-reset"(seen) {
    expect(await seen("documented")).toMatchObject({ broken: expect.stringContaining("fetch failed") });
  },
  async dribble(seen) {
    expect((await seen("documented")).decisions).toContain("scenario dribble rule 1 sends the body in 5 chunks");
  },
  async evolved(seen) {
    expect(await seen("documented")).toMatchObject({ status: 200, source: "scenario:evolved", isOffContract: false });
  },
  async flaky(seen) {
    const statuses = [];
    for (let index = 0; index < 40; index++) statuses.push((await seen("documented")).status);
    expect(new Set(statuses)).toEqual(new Set([200, 500, 503, 0]));
  },
  async garbage(seen) {
    expect(await seen("documented")).toMatchObject({ broken: expect.stringContaining("fetch failed") });
  },
  async "gateway-timeout"(seen) {
    expect(await seen("documented")).toMatchObject({ status: 504, type: "text/html", isOffContract: true });
  },
  async "insufficient-scope"(seen) {
    expect(await seen("documented")).toMatchObject({ status: 403, body: { status: 403 }, isOffContract: true });
  },
  async jittery(seen) {
    expect((await seen("undocumented")).decisions.join()).toContain("scenario jittery rule 1");
  },
  async "login-page"(seen) {
    expect(await seen("documented")).toMatchObject({ status: 200, isOffContract: true });
  },
  async maintenance(seen) {
    expect(await seen("action")).toMatchObject({ status: 503, retryAfter: "120", isOffContract: true });
  },
  async "rate-limited"(seen) {
    const limited = {
      status: 429,
      body: { status: 429, title: "TooManyRequests" },
      retryAfter: "1",
      isOffContract: true,
    };
    for (const name of ["documented", "undocumented"] as const) expect(await seen(name)).toMatchObject(limited);
  },
  async "server-error"(seen) {
    expect(await seen("action")).toMatchObject({ status: 500, type: "application/problem+json", isOffContract: true });
  },
  async slow(seen) {
    expect((await seen("documented")).decisions.join()).toContain("scenario slow rule 1");
  },
  async "token-expired"(seen) {
    expect(await seen("documented")).toMatchObject({ status: 401, body: { status: 401 }, isOffContract: false });
    expect((await seen("documented")).status).toBe(200);
  },
  async "truncated-body"(seen) {
    expect(await seen("documented")).toMatchObject({ status: 0, broken: expect.stringContaining("terminated") });
  },
  async unauthorized(seen) {
    for (const _ of [1, 2]) expect((await seen("documented")).status).toBe(401);
  },
  async "unavailable-then-ok"(seen) {
    const unavailable = { status: 503, type: "application/problem+json", retryAfter: "1" };
    expect(await seen("documented")).toMatchObject({ ...unavailable, isOffContract: false });
    expect(await seen("undocumented")).toMatchObject({ ...unavailable, isOffContract: true });
    expect((await seen("undocumented")).status).toBe(200);
  },
};

interface Seen {
  readonly status: number;
  readonly type?: string | null;
  readonly body?: unknown;
  readonly source?: string | null;
  readonly retryAfter?: string | null;
  readonly isOffContract?: boolean;
  readonly broken?: string;
  readonly decisions: readonly string[];
}

const delayed = new Set(["dribble", "gateway-timeout", "slow"]);

test("all scenarios that the mock offers for the library have the effect of their description", async () => {
  const mock = await createResourceMock({ contract: library });
  onTestFinished(() => mock.close());
  const offered = (await mock.scenarios.list()).map(({ name }) => name);
  expect(offered).toEqual(Object.keys(effects).sort());
});

test.for(Object.keys(effects).filter((name) => !delayed.has(name)))("the scenario %s", seeEffect);
test.for([...delayed])("the scenario %s", { tags: ["slow"] }, seeEffect);

async function seeEffect(name: string): Promise<void> {
  const mock = await createResourceMock({ contract: library });
  onTestFinished(() => mock.close());
  const project = mock.project(name);
  await project.use(name);
  await effects[name]?.(async (request) => {
    const [method, path, body] = requests[request];
    const init = { method, body: body && JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const reply = await mock.fetch(project.baseUrl + path, init).catch((error: Error) => error);
    const text = reply instanceof Error ? reply : await reply.text().catch((error: Error) => error);
    const { decisions = [] } = (await project.requests.list())[0] ?? {};
    if (reply instanceof Error || text instanceof Error) return { status: 0, broken: String(text), decisions };
    const { status, headers } = reply;
    const type = headers.get("Content-Type");
    return {
      status,
      type,
      body: type?.includes("json") ? JSON.parse(text) : text,
      source: headers.get("Mock-Source"),
      retryAfter: headers.get("Retry-After"),
      isOffContract: headers.has("Mock-Off-Contract"),
      decisions,
    };
  });
}
