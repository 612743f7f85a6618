import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import seed from "../../fixtures/seed.json" with { type: "json" };
import { defaultService, type Service } from "../../src/services/index.ts";
import { control, inProject } from "../setup/control.ts";
import { json, type MockUnderTest, useMock } from "../setup/mock.ts";
import { petSubject } from "../setup/pet-histories.ts";
import { configure, update, write } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

type UnknownIds = "fixture" | "not-found";

/**
 * A model of state, snapshots, forks and resets: section 9 of the interface. A project is a map of
 * versions, and a snapshot is a copy of this map. The model has two projects, so that the test detects an effect of one
 * project on the other.
 */
interface Model {
  kind: Kind;
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

/** What differs between services: the state as the control API exports it, and the requests to the service. */
interface Kind {
  readonly service: Service;
  /** A valid item without an id, and the ids of items. */
  readonly content: object;
  readonly ids: readonly string[];
  /** The versions of the items that a project starts with. */
  readonly initial: readonly (readonly [id: string, version: number])[];
  /** Returns the versions of the items, and the ids of deleted ones, in an exported state. */
  readonly stateIn: (state: never) => readonly [versions: [id: string, version: number][], deleted: readonly string[]];
  /** A state with these items. */
  readonly stateWith: (items: readonly object[]) => object;
  readonly idOf: (id: string) => unknown;
  /** Requests to the service. */
  readonly requests: readonly fc.Arbitrary<Command>[];
}

const projects = ["left", "right"] as const;
const initialOf = ({ initial }: Kind): State => ({
  versions: new Map(initial),
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
      for (const [key, expected] of Object.entries(model.projects)) await compare(mock, key, expected, model.kind);
    },
  };
}

async function compare(mock: MockUnderTest, project: string, expected: Sandbox, { stateIn }: Kind): Promise<void> {
  const { body } = await inProject<never>(mock, project, "GET", "/state");
  const [versions, deleted] = stateIn(body);
  // The order of creation must be the same, too.
  expect(versions).toEqual([...expected.versions]);
  expect(deleted).toEqual([...expected.deleted].sort());
  const { snapshots } = (await inProject<{ snapshots: { name: string }[] }>(mock, project, "GET", "/snapshots")).body;
  expect(snapshots.map(({ name }) => name)).toEqual([...expected.snapshots.keys()]);
}

const status = async (reply: Promise<{ status: number }>) => (await reply).status;

const project = fc.constantFrom(...projects);
const name = fc.constantFrom("monday", "tuesday");
const builtInIds = ["a", "b", "c", seed.resources[0]?.id ?? ""];
/** An id, or the last written resource. */
const target = fc.option(fc.constantFrom(...builtInIds), { nil: undefined });
const targetIn = ({ lastWritten = "a" }: State, one = lastWritten) => one;

/** The calls of the control API. */
const callsOf = ({ content, ids, idOf, stateWith }: Kind, id = fc.constantFrom(...ids)): fc.Arbitrary<Command>[] => [
  fc.tuple(project, id).map(([key, one]) =>
    command(`add ${one}`, key, async ({ versions, deleted }, mock) => {
      const isNew = !versions.has(one);
      expect(await status(inProject(mock, key, "POST", "/resources", { id: idOf(one), ...content }))).toBe(
        isNew ? 201 : 409,
      );
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
      const twice = [ids[0] ?? "", ids[0] ?? ""].map((id) => ({ id: idOf(id), ...content }));
      expect(await status(inProject(mock, key, "PUT", "/state", stateWith(twice)))).toBe(400);
    }),
  ),
  project.map((key) =>
    command("reset", key, async (sandbox, mock, { unknownIds, kind }) => {
      expect(await status(inProject(mock, key, "POST", "/reset"))).toBe(204);
      await configure(mock, key, { unknownIds });
      Object.assign(sandbox, initialOf(kind));
    }),
  ),
  project.map((key) =>
    command("reset all projects", key, async (_sandbox, mock, model) => {
      expect(await status(control(mock, "POST", "/reset"))).toBe(204);
      for (const [key, each] of Object.entries(model.projects)) {
        await configure(mock, key, { unknownIds: model.unknownIds });
        Object.assign(each, initialOf(model.kind));
      }
    }),
  ),
];

/** The requests to the built-in service. */
const resourceRequests: fc.Arbitrary<Command>[] = [
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
];

/** The requests to a service of pets: their versions are only in the control API. */
const petRequests: fc.Arbitrary<Command>[] = [
  project.map((key) =>
    command("POST a pet", key, async ({ versions, deleted }, mock) => {
      const response = await mock.fetch(`/${key}/pets`, json("POST", { name: "Rex" }));
      expect(response.status).toBe(201);
      const id = String(((await response.json()) as { id: number }).id);
      // Integers are never used again.
      expect([versions.has(id), deleted.has(id)]).toEqual([false, false]);
      versions.set(id, 1);
    }),
  ),
  fc
    .tuple(project, fc.constantFrom("1", "2", "4", "9"), fc.constantFrom("GET", "PUT", "PATCH", "DELETE"))
    .map(([key, one, method]) =>
      command(`${method} pet ${one}`, key, async ({ versions, deleted }, mock) => {
        const before = versions.get(one);
        const body =
          method === "PUT" || method === "PATCH" ? json(method, { id: Number(one), name: "Ida" }) : { method };
        const { status } = await mock.fetch(`/${key}/pets/${one}`, body);
        expect(status).toBe(before === undefined ? 404 : method === "DELETE" ? 204 : 200);
        if (before === undefined || method === "GET") return;
        if (method === "DELETE") versions.delete(one);
        if (method === "DELETE") deleted.add(one);
        else versions.set(one, before + 1);
      }),
    ),
  // Toys are items of another type, in the scope of a pet.
  fc.tuple(project, fc.constantFrom("1", "2")).map(([key, one]) =>
    command(`POST a toy of pet ${one}`, key, async (_sandbox, mock) => {
      const { status } = await mock.fetch(`/${key}/pets/${one}/toys`, json("POST", { label: "ball" }));
      expect(status).toBe(201);
    }),
  ),
];

interface ExportedResources {
  readonly resources: readonly { readonly id: string; readonly version: number }[];
  readonly deleted: { readonly ids: readonly string[] };
}

interface ExportedPets {
  readonly collections: {
    readonly Pet?: {
      readonly items: readonly { readonly id: number; readonly $mock: { readonly version: number } }[];
      readonly gone: readonly string[];
    };
  };
}

const kinds: Readonly<Record<string, Kind>> = {
  resources: {
    service: defaultService,
    content: { objectTypeProperty: {} },
    ids: builtInIds,
    initial: seed.resources.map(({ id, version }) => [id, version]),
    stateIn: ({ resources, deleted }: ExportedResources) => [
      resources.map(({ id, version }) => [id, version]),
      deleted.ids,
    ],
    stateWith: (resources) => ({ resources }),
    idOf: (id) => id,
    requests: resourceRequests,
  },
  pets: {
    service: petSubject.service,
    content: { name: "Bo" },
    ids: ["1", "4", "7", "9"],
    initial: [1, 2, 3].map((id) => [String(id), 1]),
    stateIn: ({ collections: { Pet: { items, gone } = { items: [], gone: [] } } }: ExportedPets) => [
      items.map(({ id, $mock }) => [String(id), $mock.version]),
      gone.map((each) => each.replace("id=", "")),
    ],
    stateWith: (items) => ({ collections: { Pet: { items } } }),
    idOf: Number,
    requests: petRequests,
  },
};

describe.each<[string, UnknownIds]>([
  ["resources", "fixture"],
  ["resources", "not-found"],
  ["pets", "not-found"],
])("random calls to the collection of %s behave like the model, with unknownIds: %s", (kindName, unknownIds) => {
  const kind = kinds[kindName] as Kind;
  const mock = useMock("in process", { service: kind.service });

  async function closeAll(): Promise<void> {
    for (const key of projects) await inProject(mock, key, "DELETE", "");
  }

  afterEach(closeAll);

  test("any sequence of changes leads to the state of the model", async () => {
    const commands = [...callsOf(kind), ...kind.requests];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
        await closeAll();
        for (const key of projects) await configure(mock, key, { unknownIds });
        const sandboxes = projects.map((key) => [key, { ...initialOf(kind), snapshots: new Map() }]);
        const begin = () => ({ model: { kind, unknownIds, projects: Object.fromEntries(sandboxes) }, real: mock });
        await fc.asyncModelRun(begin, sequence);
      }),
      runs(30, 100),
    );
  });
});
