import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import seed from "../../fixtures/seed.json" with { type: "json" };
import { control, inProject } from "../setup/control.ts";
import { type MockUnderTest, useMock } from "../setup/mock.ts";
import { configure, update, write } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

type UnknownIds = "fixture" | "not-found";

/**
 * A model of state, snapshots, forks and resets: section 9 of the interface. A project is a map of
 * versions, and a snapshot is a copy of this map. The model has two projects, so that the test detects an effect of one
 * project on the other.
 */
interface Model {
  unknownIds: UnknownIds;
  projects: Record<string, Sandbox>;
}
interface State {
  versions: Map<string, number>;
  deleted: Set<string>;
  lastWritten: string | undefined;
}
interface Sandbox extends State {
  snapshots: Map<string, State>;
}

const projects = ["left", "right"] as const;
const initial = (): State => ({
  versions: new Map(seed.resources.map(({ id, version }) => [id, version])),
  deleted: new Set(),
  lastWritten: undefined,
});
const copyOf = ({ versions, deleted, lastWritten }: State): State => ({
  versions: new Map(versions),
  deleted: new Set(deleted),
  lastWritten,
});

/** Returns the version of a resource that a request to the service finds, which may create it from the fixture. */
function found({ versions, deleted }: State, id: string, { unknownIds }: Model): number | undefined {
  if (!versions.has(id) && !deleted.has(id) && unknownIds === "fixture") versions.set(id, 1);
  return versions.get(id);
}

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
/** An id, or the last written resource. */
const target = fc.option(id, { nil: undefined });
const targetIn = ({ lastWritten = "a" }: State, one = lastWritten) => one;

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
  fc.tuple(project, fc.constantFrom("POST" as const, "PUT" as const, "PATCH" as const)).map(([key, method]) =>
    command(`${method} through the service`, key, async (sandbox, mock) => {
      const { versions, lastWritten } = sandbox;
      const before = method === "POST" ? undefined : versions.get(lastWritten ?? "");
      const { id, resource } = await write(mock, key, method);
      expect([id === lastWritten, versions.has(id)]).toEqual(Array(2).fill(before !== undefined));
      expect(resource.version).toBe((before ?? 0) + 1);
      versions.set(id, resource.version);
      sandbox.lastWritten = id;
    }),
  ),
  fc.tuple(project, target, fc.constantFrom(0, 0, 0, -1, 2), fc.nat(2)).map(([key, chosen, offset, count]) =>
    command(`update ${chosen} at ${offset} with ${count} actions`, key, async (sandbox, mock, model) => {
      const one = targetIn(sandbox, chosen);
      const before = found(sandbox, one, model);
      const actions = Array(count).fill({ action: "doSomeThing" });
      const response = await mock.resource(key, `/${one}`, update((before ?? 1) + offset, actions));
      expect(response.status).toBe(before === undefined ? 404 : offset === 0 ? 200 : 409);
      if (response.status === 200 && count > 0) sandbox.versions.set(one, (before ?? 0) + 1);
    }),
  ),
  fc.tuple(project, target, fc.constantFrom("GET", "DELETE")).map(([key, chosen, method]) =>
    command(`${method} ${chosen} through the service`, key, async (sandbox, mock, model) => {
      const one = targetIn(sandbox, chosen);
      const version = found(sandbox, one, model);
      const response = await mock.resource(key, `/${one}`, { method });
      expect(response.status).toBe(version === undefined ? 404 : 200);
      if (version === undefined) return;
      expect(await response.json()).toMatchObject({ version });
      if (method === "DELETE" && sandbox.versions.delete(one)) sandbox.deleted.add(one);
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
    command("reset", key, async (sandbox, mock, { unknownIds }) => {
      expect(await status(inProject(mock, key, "POST", "/reset"))).toBe(204);
      await configure(mock, key, { unknownIds });
      Object.assign(sandbox, initial());
    }),
  ),
  project.map((key) =>
    command("reset all projects", key, async (_sandbox, mock, model) => {
      expect(await status(control(mock, "POST", "/reset"))).toBe(204);
      for (const [key, each] of Object.entries(model.projects)) {
        await configure(mock, key, { unknownIds: model.unknownIds });
        Object.assign(each, initial());
      }
    }),
  ),
];

const mock = useMock("in process");

async function closeAll(): Promise<void> {
  for (const key of projects) await inProject(mock, key, "DELETE", "");
}

afterEach(closeAll);

test.each<UnknownIds>(["fixture", "not-found"])(
  "any sequence of changes leads to the state of the model, with unknownIds: %s",
  async (unknownIds) => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
        await closeAll();
        for (const key of projects) await configure(mock, key, { unknownIds });
        const sandboxes = projects.map((key) => [key, { ...initial(), snapshots: new Map() }]);
        const begin = () => ({ model: { unknownIds, projects: Object.fromEntries(sandboxes) }, real: mock });
        await fc.asyncModelRun(begin, sequence);
      }),
      runs(30, 100),
    );
  },
);
