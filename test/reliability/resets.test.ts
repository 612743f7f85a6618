// @module-tag isolated
// @module-tag slow
import { describe, expect, test } from "vitest";
import { collectionIn } from "../../src/state/index.ts";
import { inProject } from "../setup/control.ts";
import { effort, endurance, heldBytes } from "../setup/memory.ts";
import { json, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";

const MiB = 1024 * 1024;
/** The number of resources in a new project. */
const SEEDED = 5;

describe("1,000 resets under load", () => {
  const mock = useMock("in process", { checkResponses: false });

  test("keep requests out of the new project and free all memory", endurance, async () => {
    let crossed = 0;
    const round = async () => {
      const requests = Array.from({ length: 8 }, async (_, index) => {
        const draft = { objectTypeProperty: { arrayOfIntExample: [index] } };
        const { status } = await mock.resource("reset", "", json("POST", draft));
        expect([201, 503]).toContain(status);
      });
      await inProject(mock, "reset", "POST", "/reset");
      const fresh = mock.engine.projects.get("reset");
      await Promise.all(requests);
      // The new project has only the seeded resources and an empty journal.
      if (collectionIn(fresh.state, "Resource").items.size !== SEEDED || fresh.journal.list().length > 0) crossed++;
    };
    // The first rounds load and compile code.
    for (let reset = 0; reset < 100; reset++) await round();
    const before = await heldBytes();
    for (let reset = 0; reset < 1000 * effort; reset++) await round();
    expect(crossed).toBe(0);
    expect((await heldBytes()) - before).toBeLessThan(2 * MiB);
  });
});

describe("resets under load, over sockets", () => {
  const mock = useMock("over a socket");
  const project = "reset";
  const LATE = 5;
  const FREE = 10;

  let marks = 0;
  const marked = () => ({ objectTypeProperty: {}, mark: ++marks });

  /** Starts a request that is in progress until the test calls `finish`. */
  async function lateRequest() {
    const client = await openSocket(mock.url);
    const draft = marked();
    const body = JSON.stringify(draft);
    client.send(
      `POST /${project}/resource HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
    );
    await client.received(/100 Continue/);
    return {
      async finish() {
        client.send(body);
        return (await client.closed()).text;
      },
    };
  }

  /** Returns the marks of the stored resources and the number of requests in the journal. */
  async function kept() {
    const { body: state } = await inProject<{ resources: { mark?: number }[] }>(mock, project, "GET", "/state");
    const { body: journal } = await inProject<{ total: number }>(mock, project, "GET", "/requests");
    return { marks: state.resources.flatMap(({ mark }) => mark ?? []), journaled: journal.total };
  }

  test("discard requests in progress with 503 and store none of their changes", endurance, async () => {
    for (let reset = 0; reset < 50 * effort; reset++) {
      const late = await Promise.all(Array.from({ length: LATE }, lateRequest));
      const created = new Set<number>();
      const send = async () => {
        const draft = marked();
        const { status } = await mock.resource(project, "", json("POST", draft));
        expect([201, 503]).toContain(status);
        if (status === 201) created.add(draft.mark);
      };
      const before = Array.from({ length: FREE }, send);
      const resetting = inProject(mock, project, "POST", "/reset");
      const after = Array.from({ length: FREE }, send);
      expect((await resetting).status).toBe(204);
      const responses = await Promise.all(late.map(({ finish }) => finish()));
      await Promise.all([...before, ...after]);

      for (const response of responses) expect(response).toMatch(/HTTP\/1\.1 503 .*"ServiceUnavailable"/s);
      const { marks: stored, journaled } = await kept();
      expect(stored.filter((mark) => !created.has(mark))).toEqual([]);
      expect(journaled).toBe(stored.length);
    }
  });
});
