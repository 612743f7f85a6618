import { expect, test } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import type { Settings } from "../../src/settings/settings.ts";
import type { ResourceRecord } from "../../src/state/record.ts";
import { inProject } from "../setup/control.ts";
import { json, onTransports } from "../setup/mock.ts";
import { draft, update, write } from "../setup/resources.ts";

/** A configuration of a project, and the statuses that it leads to. */
interface Kind {
  readonly settings: Partial<Settings>;
  readonly scenario?: string;
  /** The statuses of three requests: read an unknown id, update with the current version, read the cart. */
  readonly statuses: readonly [number, number, number];
  readonly clock: string;
}

const kinds: readonly Kind[] = [
  { settings: {}, statuses: [200, 200, 200], clock: "2001-01-01T00:00:00.000Z" },
  { settings: { unknownIds: "not-found" }, statuses: [404, 200, 200], clock: "2002-01-01T00:00:00.000Z" },
  { settings: {}, scenario: "conflict", statuses: [200, 409, 200], clock: "2003-01-01T00:00:00.000Z" },
  { settings: { auth: "strict" }, statuses: [401, 401, 401], clock: "2004-01-01T00:00:00.000Z" },
  {
    settings: { journalSize: 3 },
    scenario: "server-error",
    statuses: [500, 500, 500],
    clock: "2005-01-01T00:00:00.000Z",
  },
];

const PROJECTS = 60;
const ROUNDS = 5;

onTransports("sixty concurrent projects", {}, (mock) => {
  async function hammer(project: string, { settings, scenario, statuses, clock }: Kind): Promise<void> {
    const send = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
      inProject<Body>(mock, project, method, path, body);
    const { id } = await write(mock, project);
    await send("PATCH", "/settings", settings);
    await send("PUT", "/clock", { now: clock, frozen: true });
    await send("POST", "/snapshots", { name: "before" });
    if (scenario) await send("PUT", `/scenarios/${scenario}`);
    await send("DELETE", "/requests");

    for (let round = 1; round <= ROUNDS; round++) {
      const responses = await Promise.all([
        mock.resource(project, `/nobody-${round}`),
        mock.resource(project, `/${id}`, update(round)),
        mock.resource(project, "/namespace-action-with-example"),
      ]);
      expect(responses.map(({ status }) => status)).toEqual(statuses);
      await send("POST", "/resources", { id: `mine-${project}-${round}`, ...draft });
    }

    const { requests } = (await send<{ requests: RequestEntry[] }>("GET", "/requests")).body;
    expect(requests).toHaveLength(Math.min(settings.journalSize ?? 1000, 3 * ROUNDS));
    for (const { request, timings } of requests) {
      expect([request.pathParameters.projectKey, timings.receivedAt]).toEqual([project, clock]);
    }
    const { resources } = (await send<{ resources: ResourceRecord[] }>("GET", "/resources")).body;
    const mine = resources.filter((resource) => resource.id.startsWith("mine-"));
    expect(mine.map((resource) => resource.id)).toEqual(
      Array.from({ length: ROUNDS }, (_, round) => `mine-${project}-${round + 1}`),
    );
    expect(new Set(mine.map(({ createdAt }) => createdAt))).toEqual(new Set([clock]));
    const version = statuses[1] === 200 ? 1 + ROUNDS : 1;
    expect(resources.find((resource) => resource.id === id)).toMatchObject({ version });
    expect((await send("GET", "/scenarios")).body).toMatchObject({ total: scenario ? 1 : 0 });

    await send("POST", "/snapshots/before/restore");
    expect((await send("GET", `/resources/${id}`)).body).toMatchObject({ version: 1 });
    await send("POST", "/reset");
    expect((await mock.resource(project, "", json("POST", draft))).status).toBe(201);
    expect((await send("GET", "/requests")).body).toMatchObject({ total: 1 });
  }

  test("keep settings, scenarios, clocks and snapshots isolated", { tags: ["slow"] }, async () => {
    const hammered = Array.from({ length: PROJECTS }, async (_, number) => {
      const kind = kinds[number % kinds.length];
      if (kind) await hammer(`one-of-sixty-${number}`, kind);
      return kind;
    });
    expect(await Promise.all(hammered)).toHaveLength(PROJECTS);
  });
});
