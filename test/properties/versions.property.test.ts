import fc from "fast-check";
import { expect, test } from "vitest";
import { json, type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { configure, draft, stateOf, update } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

type UnknownIds = "fixture" | "not-found";

/** A call without an id: `which` selects one of the ids that are known when the call is made. */
type Step =
  | { kind: "create" }
  | { kind: "overwrite"; method: "PUT" | "PATCH" }
  | { kind: "read"; which: number }
  | { kind: "update"; which: number; offset: number; actions: number }
  | { kind: "delete"; which: number };

const which = fc.nat(7);
/** The difference between the sent version and the current one, mostly 0. */
const offset = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const) }),
  fc.record({ kind: fc.constant("overwrite" as const), method: fc.constantFrom("PUT" as const, "PATCH" as const) }),
  fc.record({ kind: fc.constant("read" as const), which }),
  fc.record({ kind: fc.constant("update" as const), which, offset, actions: fc.nat(2) }),
  fc.record({ kind: fc.constant("delete" as const), which }),
);

/**
 * Sends calls to a project and compares each response with a minimal model of section 9 of the interface and section 3
 * of DESIGN. In the model, a resource has a version, is deleted, or has never existed.
 */
function versionModel(mock: MockUnderTest, project: string, unknownIds: UnknownIds) {
  const versions = new Map<string, number | "deleted">();
  const ids = ["unknown-a", "unknown-b", "unknown-c"];
  let lastWritten: string | undefined;

  /**
   * Returns the current version of a resource; undefined if it does not exist. May create the resource from the
   * fixture.
   */
  function find(id: string): number | undefined {
    const version = versions.get(id) ?? (unknownIds === "fixture" ? 1 : "deleted");
    if (version === "deleted") return undefined;
    versions.set(id, version);
    return version;
  }

  async function send(path: string, init: RequestInit) {
    const response = await mock.resource(project, path, init);
    const body = (await response.json()) as { version?: number; errors?: { currentVersion?: number }[] };
    const id = response.headers.get("Location")?.split("/").at(-1) ?? "";
    return { status: response.status, version: body.version, currentVersion: body.errors?.[0]?.currentVersion, id };
  }

  async function create(method: "POST" | "PUT" | "PATCH"): Promise<void> {
    const { status, version, id } = await send("", json(method, draft));
    expect([status, version, versions.has(id)]).toEqual([201, 1, false]);
    versions.set(id, 1);
    ids.push(id);
    lastWritten = id;
  }

  async function overwrite(method: "PUT" | "PATCH"): Promise<void> {
    const id = lastWritten ?? "";
    const version = versions.get(id);
    if (typeof version !== "number") return create(method);
    expect(await send("", json(method, draft))).toMatchObject({ status: 201, id, version: version + 1 });
    versions.set(id, version + 1);
  }

  return {
    /** Returns the expected number of resources without the seeded ones. */
    count: () => [...versions.values()].filter((version) => version !== "deleted").length,

    async take(step: Step): Promise<void> {
      if (step.kind === "create") return create("POST");
      if (step.kind === "overwrite") return overwrite(step.method);

      const id = ids[step.which % ids.length] ?? "";
      const version = find(id);
      const sent = (version ?? 1) + (step.kind === "update" ? step.offset : 0);
      const actions = step.kind === "update" ? Array(step.actions).fill({ action: "doSomeThing" }) : [];
      const init = { read: {}, update: update(sent, actions), delete: { method: "DELETE" } }[step.kind];
      const response = await send(`/${id}`, init);

      if (version === undefined) {
        expect(response).toMatchObject({ status: 404 });
      } else if (sent !== version) {
        expect(response).toMatchObject({ status: 409, currentVersion: version });
      } else {
        const next = actions.length === 0 ? version : version + 1;
        expect(response).toMatchObject({ status: 200, version: next });
        versions.set(id, step.kind === "delete" ? "deleted" : next);
      }
    },
  };
}

const mock = useMock("in process");

test.each<UnknownIds>(["fixture", "not-found"])(
  "with unknownIds: %s, versions follow the model for random calls",
  async (unknownIds) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const project = newProject();
        await configure(mock, project, { unknownIds });
        const count = async () => (await stateOf(mock, project)).resources.length;
        const seeded = await count();
        const model = versionModel(mock, project, unknownIds);
        for (const each of steps) await model.take(each);
        expect(await count()).toBe(seeded + model.count());
      }),
      runs(40, 150),
    );
  },
);
