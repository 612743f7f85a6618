import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import seed from "../../fixtures/seed.json" with { type: "json" };
import { control, inProject } from "../setup/control.ts";
import { type MockUnderTest, useMock } from "../setup/mock.ts";
import { configure, update } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

/**
 * A model of state, snapshots, forks and resets. A project is a map of versions, and a snapshot is a copy of this map.
 * The model has two projects, so that the test detects an effect of one project on the other.
 */
interface Model {
  projects: Record<string, Sandbox>;
}
interface Sandbox {
  versions: Map<string, number>;
  deleted: Set<string>;
  snapshots: Map<string, Pick<Sandbox, "versions" | "deleted">>;
}

const projects = ["left", "right"] as const;
const seeded = () => new Map(seed.resources.map(({ id, version }) => [id, version]));
const copyOf = ({ versions, deleted }: Pick<Sandbox, "versions" | "deleted">) => ({
  versions: new Map(versions),
  deleted: new Set(deleted),
});

type Command = fc.AsyncCommand<Model, MockUnderTest>;

/** Returns a command on one project. After each command, both projects must equal the model. */
function command(
  name: string,
  project: string,
  run: (sandbox: Sandbox, mock: MockUnderTest, model: Model) => Promise<void>,
): Command {
  return {
    check: () => true,
    toString: () => `${name} in ${project}`,
    async run(model, mock) {
      const sandbox = model.projects[project];
      if (!sandbox) throw new Error(`expected a project of the model, found ${project}`);
      await run(sandbox, mock, model);
      for (const [key, expected] of Object.entries(model.projects)) await compare(mock, key, expected);
    },
  };
}

async function compare(mock: MockUnderTest, project: string, expected: Sandbox): Promise<void> {
  const { body } = await inProject<{
    resources: { id: string; version: number }[];
    deleted: { ids: string[] };
  }>(mock, project, "GET", "/state");
  // The order of creation must be the same, too.
  expect(body.resources.map(({ id, version }) => [id, version])).toEqual([...expected.versions]);
  expect(body.deleted.ids).toEqual([...expected.deleted].sort());
  const { snapshots } = (await inProject<{ snapshots: { name: string }[] }>(mock, project, "GET", "/snapshots")).body;
  expect(snapshots.map(({ name }) => name)).toEqual([...expected.snapshots.keys()]);
}

const status = async (reply: Promise<{ status: number }>) => (await reply).status;

const project = fc.constantFrom(...projects);
const id = fc.constantFrom("a", "b", "c", seed.resources[0]?.id ?? "");
const name = fc.constantFrom("monday", "tuesday");
const content = { objectTypeProperty: {} };

const commands: fc.Arbitrary<Command>[] = [
  fc.tuple(project, id).map(([key, one]) =>
    command(`add ${one}`, key, async ({ versions, deleted }, mock) => {
      const isNew = !versions.has(one);
      expect(await status(inProject(mock, key, "POST", "/resources", { id: one, ...content }))).toBe(isNew ? 201 : 409);
      if (isNew) versions.set(one, 1);
      deleted.delete(one);
    }),
  ),
  fc.tuple(project, id).map(([key, one]) =>
    command(`write ${one}`, key, async ({ versions, deleted }, mock) => {
      const before = versions.get(one);
      const reply = inProject(mock, key, "PUT", `/resources/${one}`, content);
      expect(await status(reply)).toBe(before === undefined ? 201 : 200);
      versions.set(one, (before ?? 0) + 1);
      deleted.delete(one);
    }),
  ),
  fc.tuple(project, id).map(([key, one]) =>
    command(`delete ${one}`, key, async ({ versions, deleted }, mock) => {
      const was = versions.delete(one);
      expect(await status(inProject(mock, key, "DELETE", `/resources/${one}`))).toBe(was ? 204 : 404);
      if (was) deleted.add(one);
    }),
  ),
  fc.tuple(project, id).map(([key, one]) =>
    command(`update ${one} through the service`, key, async ({ versions, deleted }, mock) => {
      // An unknown resource is created from the fixture; a deleted resource is not.
      const before = versions.get(one) ?? (deleted.has(one) ? undefined : 1);
      const response = await mock.resource(key, `/${one}`, update(before ?? 1));
      expect(response.status).toBe(before === undefined ? 404 : 200);
      if (before !== undefined) versions.set(one, before + 1);
    }),
  ),
  fc.tuple(project, name).map(([key, snapshot]) =>
    command(`take ${snapshot}`, key, async (sandbox, mock) => {
      expect(await status(inProject(mock, key, "POST", "/snapshots", { name: snapshot }))).toBe(201);
      sandbox.snapshots.delete(snapshot);
      sandbox.snapshots.set(snapshot, copyOf(sandbox));
    }),
  ),
  fc.tuple(project, name).map(([key, snapshot]) =>
    command(`restore ${snapshot}`, key, async (sandbox, mock) => {
      const taken = sandbox.snapshots.get(snapshot);
      expect(await status(inProject(mock, key, "POST", `/snapshots/${snapshot}/restore`))).toBe(taken ? 204 : 404);
      if (taken) Object.assign(sandbox, copyOf(taken));
    }),
  ),
  fc.tuple(project, name).map(([key, snapshot]) =>
    command(`forget ${snapshot}`, key, async ({ snapshots }, mock) => {
      const was = snapshots.delete(snapshot);
      expect(await status(inProject(mock, key, "DELETE", `/snapshots/${snapshot}`))).toBe(was ? 204 : 404);
    }),
  ),
  project.map((key) =>
    command("fork the other project", key, async (sandbox, mock, model) => {
      const from = key === "left" ? "right" : "left";
      expect(await status(inProject(mock, key, "PUT", "/state", { from }))).toBe(204);
      Object.assign(sandbox, copyOf(model.projects[from] ?? sandbox));
    }),
  ),
  project.map((key) =>
    command("export and import", key, async (_sandbox, mock) => {
      const { body } = await inProject(mock, key, "GET", "/state");
      expect(await status(inProject(mock, key, "PUT", "/state", body))).toBe(204);
      expect((await inProject(mock, key, "GET", "/state")).body).toEqual(body);
    }),
  ),
  project.map((key) =>
    command("a rejected import", key, async (_sandbox, mock) => {
      const resources = [
        { id: "x", ...content },
        { id: "x", ...content },
      ];
      expect(await status(inProject(mock, key, "PUT", "/state", { resources }))).toBe(400);
    }),
  ),
  project.map((key) =>
    command("reset", key, async (sandbox, mock) => {
      expect(await status(inProject(mock, key, "POST", "/reset"))).toBe(204);
      Object.assign(sandbox, { versions: seeded(), deleted: new Set() });
    }),
  ),
  project.map((key) =>
    command("reset all projects", key, async (_sandbox, mock, model) => {
      expect(await status(control(mock, "POST", "/reset"))).toBe(204);
      for (const each of Object.values(model.projects)) Object.assign(each, { versions: seeded(), deleted: new Set() });
    }),
  ),
];

const mock = useMock("in process");

async function closeAll(): Promise<void> {
  for (const key of projects) await inProject(mock, key, "DELETE", "");
}

afterEach(closeAll);

test("any sequence of changes leads to the state of the model", { tags: ["slow"] }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
      await closeAll();
      for (const key of projects) await configure(mock, key, {});
      const begin = () => ({
        model: {
          projects: Object.fromEntries(
            projects.map((key) => [key, { versions: seeded(), deleted: new Set<string>(), snapshots: new Map() }]),
          ),
        },
        real: mock,
      });
      await fc.asyncModelRun(begin, sequence);
    }),
    runs(20, 60),
  );
});
