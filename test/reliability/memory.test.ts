import { describe, expect, test } from "vitest";
import { effort, heldBytes } from "../setup/memory.ts";
import { json, useMock } from "../setup/mock.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** In process, so that the heap measured is the mock's; each figure is what is held after a garbage collection. */
describe("memory", () => {
  const mock = useMock("in process", { checkAnswers: false });

  test("10,000 idle projects hold at most 4 KiB each", async () => {
    const projects = 10_000;
    const before = await heldBytes();
    for (let index = 0; index < projects; index++) mock.engine.projects.get(`idle-${index}`);
    const each = ((await heldBytes()) - before) / projects;
    mock.engine.resetAll();
    expect(each).toBeLessThan(4 * KiB);
  });

  test("stays flat over requests with bodies", async () => {
    const body = { objectTypeProperty: { arrayOfStringExample: ["x".repeat(2000)] } };
    const rounds = async (count: number) => {
      for (let index = 0; index < count; index++) {
        await mock.resource("flat", "", json("PUT", body));
        await mock.resource("flat", "/some-id");
      }
    };
    await rounds(2000);
    const before = await heldBytes();
    await rounds(4000 * effort);
    expect((await heldBytes()) - before).toBeLessThan(4 * MiB);
  });

  test("comes back when projects are closed", async () => {
    const projects = 1000 * effort;
    const round = async (name: string) => {
      for (let index = 0; index < projects; index++) {
        const project = `${name}-${index}`;
        await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample: [index] } }));
        await mock.resource(project, "/another");
        mock.engine.closeProject(project);
      }
    };
    await round("warm-up");
    const before = await heldBytes();
    await round("closed");
    expect((await heldBytes()) - before).toBeLessThan(2 * MiB);
  });

  test("comes back when a project is reset under load, and no request crosses", async () => {
    const resets = 100 * effort;
    let crossed = 0;
    const round = async () => {
      const requests = Array.from({ length: 20 }, async (_, index) => {
        const answer = await mock.resource(
          "reset",
          "",
          json("POST", { objectTypeProperty: { arrayOfIntExample: [index] } }),
        );
        expect([201, 503]).toContain(answer.status);
      });
      mock.engine.resetProject("reset");
      const fresh = mock.engine.projects.get("reset");
      await Promise.all(requests);
      // The seed's five are all there is, and nobody has asked the new project anything.
      if ((await fresh.store.size()) !== 5 || fresh.journal.list().length > 0) crossed++;
    };
    await round();
    const before = await heldBytes();
    for (let reset = 0; reset < resets; reset++) await round();
    expect(crossed).toBe(0);
    expect((await heldBytes()) - before).toBeLessThan(2 * MiB);
  });
});
