import { expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { library } from "./documents.ts";

async function answerOf(mock: MockUnderTest, path: string, init?: RequestInit) {
  const response = await mock.fetch(path, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

const title = ({ title: own }: { title: string }) => own;

onTransports("items of a document", { contract: library }, (mock) => {
  const open = () => {
    const project = newProject();
    const send = (method: string, path: string, body?: unknown) =>
      answerOf(mock, `/${project}${path}`, body === undefined ? { method } : json(method, body));
    return { project, send, get: (path: string) => send("GET", path) };
  };

  test("created items can be read, listed, changed and deleted", async () => {
    const { project, send, get } = open();
    const created = await send("POST", "/books", { title: "Persuasion", tags: ["sea"] });
    expect([created.status, created.headers.get("Location")]).toEqual([201, `/${project}/books/2`]);
    expect(created.headers.get("Mock-Off-Contract")).toBeNull();
    expect((await get("/books/2")).body).toEqual(created.body);
    expect((await get("/books")).body.data.map(title)).toEqual(["Emma", "Persuasion"]);
    expect((await send("PATCH", "/books/2", { tags: [], title: "Sanditon" })).body).toMatchObject({
      ...{ id: 2, title: "Sanditon", tags: [], created_at: created.body.created_at },
    });
    expect((await send("DELETE", "/books/2")).status).toBe(204);
    const { status, headers } = await get("/books/2");
    expect([status, headers.get("Mock-Reason")]).toEqual([404, expect.stringContaining("it was deleted")]);
    expect((await send("POST", "/books", { title: "Next" })).body.id).toBe(3);
  });

  test("items show the members that the schema names, and hide other members", async () => {
    const { project, send, get } = open();
    const sent = {
      title: "A",
      pageCount: 7,
      secret: "s",
      author: { name: "B", rank: 1 },
      unknownToTheService: "u",
      no: 1,
    };
    const { body } = await send("POST", "/books", sent);
    expect(body).toMatchObject({ title: "A", page_count: 7, author: { name: "B", country: "" } });
    for (const name of ["secret", "unknownToTheService", "no", "pageCount"]) expect(body).not.toHaveProperty(name);
    const hidden = { secret: "s", unknownToTheService: "u", no: 1, author: { rank: 1 } };
    const shown = await inProject(mock, project, "GET", `/resources/${body.id}`);
    expect(shown.body).toMatchObject({ title: "A", $mock: { hidden } });
    await send("PATCH", `/books/${body.id}`, { secret: null, no: 2 });
    const { $mock } = (await inProject<{ $mock: object }>(mock, project, "GET", `/resources/${body.id}`)).body;
    const { secret: _secret, ...others } = hidden;
    expect($mock).toMatchObject({ version: 2 });
    expect(($mock as { hidden: object }).hidden).toEqual({ ...others, no: 2 });
    expect((await send("POST", "/books", { title: "A", pageCount: 7, page_count: 5 })).body.page_count).toBe(5);
    expect(JSON.stringify((await get("/books")).body)).not.toContain("rank");
  });

  test("new items get ids, times, constants and the required members of the example", async () => {
    const { send } = open();
    const [first, second] = [
      await send("POST", "/books", { title: "A" }),
      await send("POST", "/books", { title: "B" }),
    ];
    expect(first.body).toMatchObject({ id: 2, price: 9.5, kind: "book", medium: "paper", owner: { login: "jane" } });
    expect(first.body.node_id).not.toBe(second.body.node_id);
    expect(Date.parse(first.body.created_at)).toBeGreaterThan(Date.parse("2024-01-02"));
    expect(first.body.updatedAt).toBe(Math.floor(Date.parse(first.body.created_at) / 1000));
  });

  test("a create and a merge ignore members that only the service sets", async () => {
    const { send } = open();
    const sent = { title: "A", id: 99, created_at: "1999-01-01T00:00:00Z", node_id: "mine" };
    const { body } = await send("POST", "/books", sent);
    expect(body).toMatchObject({ id: 2, title: "A" });
    expect([body.created_at, body.node_id]).not.toContain("mine");
    expect(body.created_at).not.toBe(sent.created_at);
    expect((await send("PATCH", "/books/2", { id: 2, title: "B", node_id: "x" })).body).toMatchObject({
      ...{ id: 2, title: "B", node_id: body.node_id },
    });
    const { status, headers } = await send("PUT", "/books/2", { id: 3, title: "B" });
    expect([status, headers.get("Mock-Reason")]).toEqual([
      400,
      expect.stringMatching(/^\/id: expected the id in the path, "2"/),
    ]);
  });

  test("keep on a replacement what clients cannot set, and lose what the body lacks", async () => {
    const { send, get } = open();
    const { body } = await send("POST", "/books", {
      title: "A",
      tags: ["x"],
      draft: true,
      author: { name: "B", country: "C" },
    });
    const { body: replaced } = await send("PUT", "/books/2", { title: "Z", author: { name: "D" } });
    const { tags: _tags, draft: _draft, ...kept } = body;
    expect(replaced).toEqual({
      ...kept,
      title: "Z",
      updatedAt: expect.any(Number),
      author: { name: "D", country: "C" },
    });
    expect((await get("/books/2")).body).toEqual(replaced);
  });

  test("are merged at every depth: null removes a member, but not a required one that can be null", async () => {
    const { send } = open();
    await send("POST", "/books", { title: "A", tags: ["x"], author: { name: "B", country: "C", born: "1990-01-01" } });
    const { body } = await send("PATCH", "/books/2", { tags: null, price: null, author: { born: null, name: "E" } });
    expect(body).toMatchObject({ title: "A", price: null, author: { name: "E", country: "C" } });
    expect([body.tags, body.author.born]).toEqual([undefined, undefined]);
  });

  test.each([
    ["removes a required member", { title: null }],
    ["removes a required member of a member", { author: { name: null } }],
    ["sets an invalid title", { title: null, draft: true }],
  ])("an item stays unchanged if a change %s", async (_name, patch) => {
    const { send, get } = open();
    const { body } = await send("POST", "/books", { title: "A", author: { name: "B", country: "C" } });
    const refused = await send("PATCH", "/books/2", patch);
    expect([refused.status, refused.headers.get("Mock-Reason")]).toEqual([422, expect.stringMatching(/is required/)]);
    expect((await get("/books/2")).body).toEqual(body);
  });

  test("a request for an unknown id gets 404, and the reason says what to do", async () => {
    const { get, send } = open();
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const { status, headers } = await send(method, "/books/77", method === "PATCH" ? {} : undefined);
      expect([status, headers.get("Mock-Reason")]).toEqual([
        404,
        expect.stringContaining('id "77": it was never created; create it, seed it, or set unknownIds: fixture'),
      ]);
    }
    expect((await get("/books/x")).status).toBe(400);
  });

  test("with unknownIds: fixture, an unknown item is computed, and only a change stores the item", async () => {
    const { project, get, send } = open();
    await inProject(mock, project, "PATCH", "/settings", { unknownIds: "fixture" });
    const [first, second] = [await get("/books/77"), await get("/books/77")];
    expect([first.status, first.body]).toEqual([200, { ...second.body, id: 77, title: "Emma" }]);
    expect((await get("/books")).body.data).toHaveLength(1);
    expect((await send("PATCH", "/books/77", { title: "Mine" })).body).toMatchObject({ id: 77, title: "Mine" });
    expect((await get("/books")).body.data.map(title)).toEqual(["Emma", "Mine"]);
    expect((await send("DELETE", "/books/78")).status).toBe(204);
    expect((await get("/books/78")).status).toBe(404);
  });

  test("items below an item belong only to this item, and are hidden after its deletion", async () => {
    const { get, send } = open();
    await send("POST", "/books", { title: "A" });
    expect((await send("POST", "/books/2/notes", { slug: "one", text: "t" })).status).toBe(201);
    const notes = async (book: number) => (await get(`/books/${book}/notes`)).body.notes;
    expect([await notes(2), await notes(41)]).toEqual([[{ slug: "one", text: "t" }], []]);
    await send("DELETE", "/books/2");
    for (const path of ["/books/2/notes", "/books/2/notes/one"]) {
      const { status, headers } = await get(path);
      expect([status, headers.get("Mock-Reason")]).toEqual([
        404,
        expect.stringContaining('has no book with the id "2": it was deleted'),
      ]);
    }
    expect((await send("POST", "/books/2/notes", { text: "t" })).status).toBe(404);
  });

  test("a PUT creates an unknown item if the document declares 201", async () => {
    const { get, send } = open();
    const put = (text: string) => send("PUT", "/books/41/notes/a-b", { text });
    expect([await put("1"), await put("2")]).toMatchObject([
      { status: 201, body: { slug: "a-b", text: "1" } },
      { status: 200, body: { slug: "a-b", text: "2" } },
    ]);
    expect((await send("DELETE", "/books/41/notes/a-b")).body).toEqual({ slug: "a-b", text: "2" });
    expect((await get("/books/41/notes/a-b")).status).toBe(404);
    expect((await put("3")).status).toBe(201);
  });

  test("a change of the member that is the id renames the item", async () => {
    const { get, send } = open();
    for (const slug of ["a", "b"]) await send("POST", "/books/41/notes", { slug, text: "t" });
    expect((await send("PATCH", "/books/41/notes/a", { slug: "b" })).status).toBe(409);
    expect((await send("PATCH", "/books/41/notes/a", { slug: "c" })).body).toEqual({ slug: "c", text: "t" });
    expect([(await get("/books/41/notes/a")).status, (await get("/books/41/notes/c")).status]).toEqual([404, 200]);
  });

  test("get new ids that the schema allows, and none that exists", async () => {
    const { send } = open();
    const slugs: string[] = [];
    for (let index = 0; index < 3; index++)
      slugs.push((await send("POST", "/books/41/notes", { text: "t" })).body.slug);
    expect(new Set(slugs).size).toBe(3);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9-]{1,20}$/);
    expect((await send("POST", "/books/41/notes", { slug: slugs[0], text: "t" })).status).toBe(409);
  });

  test("concurrent creates with one id create one item", async () => {
    const { send } = open();
    const all = await Promise.all([1, 2, 3, 4].map(() => send("POST", "/books/41/notes", { slug: "same", text: "t" })));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test("an item without its own id can be read before the first write", async () => {
    const { project, get, send } = open();
    expect((await get("/profile")).body).toEqual({ theme: "dark", size: 3 });
    expect((await inProject<{ total: number }>(mock, project, "GET", "/resources?type=Profile")).body.total).toBe(0);
    expect((await send("PATCH", "/profile", { size: 4 })).body).toEqual({ theme: "dark", size: 4 });
    expect((await get("/profile")).body).toEqual({ theme: "dark", size: 4 });
  });

  test("survive an export, an archive and a rewind with their hidden members", async () => {
    const { project, get, send } = open();
    await send("POST", "/books", { title: "A", secret: "s", author: { name: "B", rank: 1 } });
    await send("POST", "/books/2/notes", { slug: "n", text: "t", other: [1] });
    const { body: state } = await inProject(mock, project, "GET", "/state");
    const { body: archive } = await inProject(mock, project, "GET", "/archive");
    const { headers } = await send("PATCH", "/books/2", { title: "B", secret: "t" });
    const id = headers.get("Mock-Request-Id");
    expect((await inProject(mock, project, "POST", `/requests/${id}/rewind`, {})).status).toBe(200);
    expect((await inProject(mock, project, "GET", "/state")).body).toEqual(state);
    const copy = newProject();
    expect((await inProject(mock, copy, "PUT", "/state", state)).status).toBe(204);
    expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(state);
    expect((await inProject(mock, project, "PUT", "/archive", archive as object)).status).toBeLessThan(300);
    expect((await inProject(mock, project, "GET", "/state")).body).toEqual(state);
    expect((await get("/books/2")).body.title).toBe("A");
  });
});

onTransports("lists of a document", { contract: library }, (mock) => {
  const filled = async (count = 5) => {
    const project = newProject();
    const add = (body: object) => mock.fetch(`/${project}/books`, json("POST", body));
    for (let index = 1; index <= count; index++)
      await add({ title: `T${index}`, draft: index % 2 === 0, tags: index > 3 ? ["new", "x"] : [], price: index });
    return { project, list: (query: string) => answerOf(mock, `/${project}/books${query}`) };
  };

  test.each([
    ["?draft=true", ["T2", "T4"]],
    ["?draft=false&title=T3", ["T3"]],
    ["?tags=new", ["T4", "T5"]],
    ["?title=all", ["Emma", "T1", "T2", "T3", "T4", "T5"]],
    ["?title=none&draft=true", ["T2", "T4"]],
    ["?sort=-title&limit=2", ["T5", "T4"]],
    ["?sort=title:desc&limit=2", ["T5", "T4"]],
    ["?sort=title%20desc&limit=2", ["T5", "T4"]],
    ["?sort=draft,-title&draft=false&limit=2", ["T5", "T3"]],
    ["?sort=price&limit=1", ["T1"]],
    ["?limit=2&page=2", ["T2", "T3"]],
    ["?limit=2&page=1000000", []],
    ["?limit=2147483647", ["Emma", "T1", "T2", "T3", "T4", "T5"]],
  ])("the query %s selects the items %j", async (query, titles) => {
    const { list } = await filled();
    const { status, body, headers } = await list(query);
    expect([status, body.data.map(title), headers.get("Mock-Ignored")]).toEqual([200, titles, null]);
  });

  test("a page of a list names its number and the next page", async () => {
    const { project, list } = await filled();
    const { body } = await list("?limit=4&title=all");
    expect(body.meta).toEqual({ total: 6, page: 1, pages: 2, has_more: true, request: "" });
    expect(body.next).toMatch(new RegExp(`^http://[^/]+/${project}/books\\?limit=4&title=all&page=2$`));
    const second = await list(body.next.slice(body.next.indexOf("?")));
    expect(second.body).toMatchObject({
      data: [{ title: "T4" }, { title: "T5" }],
      meta: { page: 2, has_more: false },
      next: null,
    });
  });

  test("name the parameters that have no effect", async () => {
    const { project, list } = await filled(1);
    const { status, headers } = await list("?q=x&author=y&mode=z&sort=nothing&limit=1");
    expect([status, headers.get("Mock-Ignored")]).toEqual([200, "author, q, mode, sort"]);
    const { body } = await inProject<{ requests: { decisions: string[] }[] }>(
      mock,
      project,
      "GET",
      "/requests?limit=1",
    );
    expect(body.requests[0]?.decisions).toContain("the list ignores author, q, mode, sort");
  });

  test("are read to the end with cursors, also if items are deleted meanwhile", async () => {
    const project = newProject();
    const notes = (query: string) => answerOf(mock, `/${project}/books/41/notes${query}`);
    const slugs = ["a", "b", "c", "d", "e"];
    for (const slug of slugs)
      await mock.fetch(`/${project}/books/41/notes`, json("POST", { slug, text: "t", stars: 1 }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { notes: { slug: string }[]; next_cursor: string | null } } = await notes(
        `?limit=2&stars=1${cursor ? `&starting_after=${cursor}` : ""}`,
      );
      seen.push(...body.notes.map(({ slug }) => slug));
      for (const { slug } of body.notes) await mock.fetch(`/${project}/books/41/notes/${slug}`, { method: "DELETE" });
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(slugs);
  });

  test("accept the id of an item as a cursor of a filtered list", async () => {
    const project = newProject();
    for (const [slug, stars] of [
      ["a", 2],
      ["b", 1],
      ["c", 1],
    ] as const)
      await mock.fetch(`/${project}/books/41/notes`, json("POST", { slug, text: "t", stars }));
    const { body } = await answerOf(mock, `/${project}/books/41/notes?stars=1&starting_after=b`);
    expect(body.notes).toEqual([{ slug: "c", text: "t", stars: 1 }]);
  });

  test("a list accepts the id of an item as a cursor, and refuses a cursor of another list", async () => {
    const project = newProject();
    const notes = (query: string, book = 41) => answerOf(mock, `/${project}/books/${book}/notes${query}`);
    for (const slug of ["a", "b"]) await mock.fetch(`/${project}/books/41/notes`, json("POST", { slug, text: "t" }));
    expect((await notes("?starting_after=a")).body.notes).toEqual([{ slug: "b", text: "t" }]);
    const { next_cursor } = (await notes("?limit=1")).body;
    for (const [cursor, book] of [
      [next_cursor, 42],
      ["garbage", 41],
      ["c", 41],
    ] as const) {
      const { status, headers } = await notes(`?starting_after=${cursor}`, book);
      expect([status, headers.get("Mock-Reason")]).toEqual([
        400,
        expect.stringMatching(/^starting_after: expected a cursor/),
      ]);
    }
  });
});
