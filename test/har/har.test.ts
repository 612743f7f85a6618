import { expect, test } from "vitest";
import type { Har, RequestEntry } from "../../src/control/client/types.ts";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft, write } from "../setup/resources.ts";
import { expectValid } from "./valid-har.ts";

const secret = "s3cr3t";
async function harOf(mock: MockUnderTest, project: string, query = ""): Promise<Har["log"]> {
  const { status, headers, body } = await inProject<Har>(mock, project, "GET", `/requests?format=har${query}`);
  expect([status, headers.get("Content-Type")]).toEqual([200, "application/json"]);
  expectValid(body);
  return body.log;
}

const pathOf = ({ request: { url } }: Har["log"]["entries"][number]) => new URL(url).pathname;

onTransports("the HTTP archive of a journal", {}, (mock) => {
  test("has each value of a header", async () => {
    const project = newProject();
    const headers = { "Set-Cookie": ["a=1; Path=/", "b=2"], "X-Trace": ["one", "two"] };
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", respond: { status: 503, headers } });
    await mock.resource(project, "/namespace-action-with-example");
    const [entry] = (await harOf(mock, project)).entries;
    const valuesOf = (name: string) => entry?.response.headers.filter((each) => each.name === name);
    expect(valuesOf("X-Trace")?.map(({ value }) => value)).toEqual(["one", "two"]);
    expect(valuesOf("Set-Cookie")).toHaveLength(2);
    expect(entry?.response.cookies.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("has requests and responses in the order of arrival, with timings", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await mock.resource(project, `/${id}?optionalQueryParameter=a%20b&other=c&other=|`, {
      headers: { "X-Test": "1" },
    });
    const { version, creator, pages, entries, _total } = await harOf(mock, project);
    expect({ version, creator, pages, _total }).toEqual({
      version: "1.2",
      creator: { name: "resource-mock", version: "0.0.0-test" },
      pages: [],
      _total: 2,
    });
    const [created, read] = entries;
    expect(created).toMatchObject({
      request: {
        method: "POST",
        url: `${mock.url ?? "http://in.process"}/${project}/resource`,
        httpVersion: "HTTP/1.1",
        postData: { mimeType: "application/json", text: JSON.stringify(draft) },
        bodySize: JSON.stringify(draft).length,
      },
      response: { status: 201, statusText: "Created", redirectURL: `/${project}/resource/${id}` },
      _operation: "createResource",
      _project: project,
      _mockSource: "state",
    });
    expect(read).toMatchObject({
      request: {
        method: "GET",
        url: expect.stringMatching(/optionalQueryParameter=a%20b&other=c&other=%7C$/),
        queryString: [
          { name: "optionalQueryParameter", value: "a b" },
          { name: "other", value: "c" },
          { name: "other", value: "|" },
        ],
        bodySize: 0,
      },
      response: { content: { mimeType: "application/json", text: expect.stringContaining('"version":1') } },
    });
    expect(read?.request.headers.filter(({ name }) => name === "x-test")).toEqual([{ name: "x-test", value: "1" }]);
    expect(read?.request.postData).toBeUndefined();
    for (const { time, timings, response } of entries) {
      // The server sees only its own time, during which the client waits.
      expect(timings).toEqual({ blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: time, receive: 0 });
      expect(response.bodySize).toBe(Buffer.byteLength(response.content.text ?? ""));
    }
  });

  test("has the times, decisions and violations of the journal, by the server's clock", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/clock", { now: "2030-01-01T00:00:00.000Z" });
    await mock.resource(project, "?floatParameter=x");
    await mock.resource(project, "/a");
    const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests");
    const { entries } = await harOf(mock, project);
    expect(entries.map((entry) => [entry._id, entry.startedDateTime, entry.time, entry._decisions])).toEqual(
      body.requests
        .map(({ id, timings, decisions }) => [id, timings.serverTime, timings.duration, decisions])
        .reverse(),
    );
    expect(entries.map(({ _violations }) => _violations)).toEqual([
      [expect.stringContaining('expected a decimal number, found "x"')],
      undefined,
    ]);
  });

  test("has no secrets", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "off", auth: "off" });
    await inProject(mock, project, "POST", "/rules", {
      operation: "getResourceById",
      raw: { status: 200, headers: { "Set-Cookie": `sid=${secret}; Path=/` }, body: { access_token: secret } },
    });
    await mock.resource(project, `/a?access_token=${secret}&q=1`, {
      headers: { Authorization: `Bearer ${secret}`, Cookie: `sid=${secret}; ${secret}`, "X-Api-Key": secret },
    });
    await mock.resource(project, "", json("POST", { password: secret }));
    const log = await harOf(mock, project);
    expect(JSON.stringify(log)).not.toContain(secret);
    expect(log.entries[0]).toMatchObject({
      request: {
        queryString: [
          { name: "access_token", value: "[redacted]" },
          { name: "q", value: "1" },
        ],
      },
      response: { cookies: [{ name: "sid", value: "[redacted]" }] },
    });
    expect(log.entries[0]?.request.headers).toContainEqual({ name: "authorization", value: "Bearer [redacted]" });
  });

  test("has the filters and pages of the list, and the order of arrival in each page", async () => {
    const project = newProject();
    for (const id of ["a", "b", "c", "d", "e"]) await mock.resource(project, `/${id}`);
    await mock.resource(project, "", { method: "HEAD" });
    const paths = async (query: string) => {
      const log = await harOf(mock, project, query);
      return [
        log.entries.map((entry) => pathOf(entry).split("/").at(-1)).join(""),
        log._total,
        log._next !== undefined,
      ];
    };
    expect(await paths("&operation=getResourceById")).toEqual(["abcde", 5, false]);
    expect(await paths("&operation=getResourceById&q=/c")).toEqual(["c", 1, false]);
    expect(await paths("&operation=getResourceById&limit=2")).toEqual(["de", 5, true]);
    const first = await harOf(mock, project, "&operation=getResourceById&limit=2");
    expect(await paths(`&operation=getResourceById&limit=2&before=${first._next}`)).toEqual(["bc", 5, true]);
    expect(await paths("&status=5xx")).toEqual(["", 0, false]);
  });

  test("is a file with the name of the project", async () => {
    const { headers } = await inProject(mock, 'Größe "1"', "DELETE", "/requests").then(() =>
      inProject(mock, 'Größe "1"', "GET", "/requests?format=har"),
    );
    expect(headers.get("Content-Disposition")).toBe(`attachment; filename="Gr__e__1_.har"`);
  });

  test("of all projects names the project of each request", async () => {
    const [one, other] = [newProject(), newProject()];
    await mock.resource(one, "/a");
    await mock.resource(other, "/b");
    const { body, headers } = await control<Har>(mock, "GET", "/requests?format=har&limit=2");
    expectValid(body);
    expect(body.log.entries.map(({ _project }) => _project)).toEqual([one, other]);
    expect(body.log._next).toMatch(/^[\da-f]{8}-\d+@\d+$/);
    expect(headers.get("Content-Disposition")).toContain('filename="requests.har"');
  });

  test("says that a body was cut, and has images and other bytes in base64", async () => {
    const project = newProject();
    const gif = Buffer.from("GIF89a-only-ascii");
    await mock.resource(project, "/images", { method: "POST", headers: { "Content-Type": "image/gif" }, body: gif });
    await inProject(mock, project, "POST", "/rules", {
      operation: "getResourceById",
      raw: { status: 200, headers: { "Content-Type": "application/octet-stream" }, bodyBase64: "/wD/" },
    });
    await mock.resource(project, "/a");
    const { id } = await write(mock, project, "POST", { objectTypeProperty: {}, text: "x".repeat(100_000) });
    const [image, bytes, long] = (await harOf(mock, project)).entries;
    expect(image?.request.postData).toMatchObject({ text: gif.toString("base64"), _encoding: "base64" });
    expect(bytes?.response).toMatchObject({ bodySize: 3, content: { text: "/wD/", encoding: "base64" } });
    expect(bytes?._offContract).toBe(true);
    expect(id).toBeTruthy();
    expect(long?.request.postData?.comment).toContain("only the start");
    expect(long?.request.bodySize).toBeGreaterThan(100_000);
    expect(long?.request.postData?.text.length).toBeLessThan(70_000);
  });

  test("shows broken connections as browsers do", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/connection-reset", { times: 1 });
    await expect(mock.resource(project, "/a")).rejects.toThrow();
    const [broken] = (await harOf(mock, project)).entries;
    expect(broken?.response).toMatchObject({
      status: 0,
      statusText: "",
      headers: [],
      content: { size: 0 },
      bodySize: -1,
      _error: "CONNECTION_RESET_BY_PEER",
    });
  });

  test("accepts no other format, and no summaries", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    const unknown = await inProject(mock, project, "GET", "/requests?format=xml");
    const [error] = expectProblem(unknown, 400, "InvalidField");
    expect(error?.detail).toContain("json, har");
    expectProblem(
      await inProject(mock, project, "GET", "/requests?format=har&brief=true"),
      400,
      "InvalidField",
      "brief",
    );
    expect((await inProject(mock, project, "GET", "/requests?format=json")).body).toMatchObject({ total: 1 });
    const { status } = await inProject(mock, newProject(), "GET", "/requests?format=har");
    expect(status).toBe(200);
  });
});
