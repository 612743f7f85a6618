import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { configure, draft, write } from "../setup/resources.ts";

const START = Date.parse("2025-06-01T12:00:00Z");
let engineNow = START;

onTransports("the clock of a project", { now: () => engineNow }, (mock) => {
  const get = async (project: string) => (await inProject(mock, project, "GET", "/clock")).body;
  const set = (project: string, body: unknown) => inProject(mock, project, "PUT", "/clock", body);

  test("runs with the clock of the server until it is set", async () => {
    engineNow = START;
    const [project, other] = [newProject(), newProject()];
    expect(await get(project)).toEqual({ now: "2025-06-01T12:00:00.000Z", frozen: false });
    expect(await set(project, { now: "2030-01-01T01:00:00+01:00" })).toMatchObject({
      status: 200,
      body: { now: "2030-01-01T00:00:00.000Z", frozen: false },
    });
    engineNow += 1500;
    expect(await get(project)).toEqual({ now: "2030-01-01T00:00:01.500Z", frozen: false });
    expect(await get(other)).toEqual({ now: "2025-06-01T12:00:01.500Z", frozen: false });
  });

  test("stops when it is frozen, and can be advanced", async () => {
    engineNow = START;
    const project = newProject();
    await set(project, { frozen: true });
    engineNow += 60_000;
    expect(await get(project)).toEqual({ now: "2025-06-01T12:00:00.000Z", frozen: true });
    expect((await set(project, { advance: 1 })).body).toEqual({ now: "2025-06-01T12:00:00.001Z", frozen: true });
    await set(project, { frozen: false });
    engineNow += 1000;
    expect(await get(project)).toEqual({ now: "2025-06-01T12:00:01.001Z", frozen: false });
    await set(project, { now: 0, frozen: true });
    expect(await get(project)).toEqual({ now: "1970-01-01T00:00:00.000Z", frozen: true });
  });

  test("stops at the end of the year 9999, and the state can still be exported and imported", async () => {
    engineNow = START;
    const [project, copy] = [newProject(), newProject()];
    const last = "9999-12-31T23:59:59.999Z";
    await set(project, { now: "9999-12-31T23:59:59.000Z" });
    engineNow += 86_400_000;
    expect(await get(project)).toEqual({ now: last, frozen: false });
    expect((await set(project, { advance: 0 })).body).toEqual({ now: last, frozen: false });
    expect(expectProblem(await set(project, { advance: 1 }), 400, "InvalidField")).toMatchObject([
      { pointer: "/advance" },
    ]);

    const { id } = await write(mock, project);
    await mock.resource(project, "/images", image("image/png"));
    expect((await inProject(mock, project, "GET", `/resources/${id}`)).body).toMatchObject({ createdAt: last });
    expect((await inProject(mock, project, "POST", "/snapshots", { name: "s" })).body).toMatchObject({ takenAt: last });
    expect((await inProject(mock, project, "GET", "/requests")).body).toMatchObject({
      requests: [{ timings: { receivedAt: last } }, { timings: { receivedAt: last } }],
    });
    const { body: state } = await inProject(mock, project, "GET", "/state");
    expect((await inProject(mock, copy, "PUT", "/state", state)).status).toBe(204);
    expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(state);

    await set(project, { now: START });
    expect(await get(project)).toEqual({ now: "2025-06-01T12:00:00.000Z", frozen: false });
  });

  test("determines the timestamps and tokens of its own project only", async () => {
    engineNow = START;
    const [project, other] = [newProject(), newProject()];
    for (const key of [project, other]) await configure(mock, key, { auth: "strict" });
    const { body: token } = await inProject(mock, project, "POST", "/tokens", { expiresIn: 60 });
    const { body: others } = await inProject(mock, other, "POST", "/tokens", { expiresIn: 60 });
    const call = (key: string, { access_token }: Record<string, unknown>) =>
      mock.resource(key, "", { headers: { Authorization: `Bearer ${access_token}` } });

    await set(project, { advance: 59_999 });
    expect((await call(project, token)).status).toBe(200);
    await set(project, { advance: 1 });
    expect((await call(project, token)).status).toBe(401);
    expect((await call(other, others)).status).toBe(200);

    const { body } = await inProject(mock, project, "POST", "/resources", draft);
    expect(body).toMatchObject({ createdAt: "2025-06-01T12:01:00.000Z" });
    expect((await inProject(mock, other, "POST", "/resources", draft)).body).toMatchObject({
      createdAt: "2025-06-01T12:00:00.000Z",
    });
  });

  test.each<[unknown, string]>([
    [{}, ""],
    [{ now: "tomorrow" }, "/now"],
    [{ now: "2025-02-30T00:00:00Z" }, "/now"],
    [{ now: "1969-12-31T23:59:59Z" }, "/now"],
    [{ now: 253_402_300_800_000 }, "/now"],
    [{ advance: 253_402_300_799_999 }, "/advance"],
    [{ advance: 1, now: 0 }, "/now"],
    [{ freeze: true }, "/freeze"],
  ])("cannot be set by %j", async (body, pointer) => {
    engineNow = START;
    const project = newProject();
    expect(expectProblem(await set(project, body), 400, "InvalidField")).toMatchObject([{ pointer }]);
    expect(await get(project)).toEqual({ now: "2025-06-01T12:00:00.000Z", frozen: false });
  });
});
