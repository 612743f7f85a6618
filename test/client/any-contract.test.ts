import { describe, expect, expectTypeOf, test } from "vitest";
import { documentOf, jsonResponse, objectOf } from "../setup/documents.ts";
import { describeClients } from "./clients.ts";

interface Post {
  readonly id: number;
  readonly title: string;
}

const Post = objectOf({ id: { type: "integer" }, title: { type: "string" } });
const Tag = objectOf({ name: { type: "string" } });
const posts = { type: "array", items: Post };
const body = { requestBody: { content: { "application/json": { schema: Post } } } };
const ofPosts = {
  "/users/{user}/posts": {
    get: { responses: { 200: jsonResponse(posts) } },
    post: { ...body, responses: { 201: jsonResponse(Post) } },
  },
  "/users/{user}/posts/{postId}": {
    get: { responses: { 200: jsonResponse(Post) } },
    delete: { responses: { 204: { description: "Deleted." } } },
  },
};
const ofTags = {
  "/tags": { get: { responses: { 200: jsonResponse({ type: "array", items: Tag }) } } },
  "/tags/{name}": {
    get: { responses: { 200: jsonResponse(Tag) } },
    put: { requestBody: { content: { "application/json": { schema: Tag } } }, responses: { 200: jsonResponse(Tag) } },
  },
};

const type = "/users/ann/posts";

describeClients(
  "the items of a document whose only type is below a user",
  (driven) => {
    const { project } = driven;
    test("items are seeded, listed, read, put, tagged and deleted by the path of their collection", async () => {
      const mock = project();
      const seeded = await mock.seed({ [type]: [{ title: "a" }, { title: "b", mood: "good" }] });
      expect(seeded[type]).toMatchObject([
        { id: 1, title: "a" },
        { id: 2, $mock: { hidden: { mood: "good" } } },
      ]);
      const [first] = await mock.resources.list<Post>({ type, where: 'title="a"' });
      expectTypeOf(first).toEqualTypeOf<Post | undefined>();
      expect(first).toMatchObject({ id: 1, title: "a", $mock: { version: 1 } });
      expect(await mock.resources.list({ type: "Post/ann", q: "2" })).toMatchObject([{ id: 2 }]);
      const { resource, tag } = await mock.resources.getTagged<Post>(1, { type });
      expect(await mock.resources.get<Post>(1, { type })).toEqual(resource);
      await mock.resources.put<Post>(1, { title: "c" }, { type, ifMatch: tag });
      await expect(mock.resources.put<Post>(1, { title: "d" }, { type, ifMatch: tag })).rejects.toThrow("412");
      expect((await mock.resources.get(1, { type })).$mock?.version).toBe(2);
      expect(await mock.resources.history(1, { type })).toMatchObject([{ version: 2 }, { version: 1 }]);
      await mock.resources.delete(1, { type });
      expect(await mock.resources.list({ type })).toHaveLength(1);
      expect(await mock.types()).toMatchObject([{ name: "Post", path: "/users/{user}/posts", count: 1 }]);
    });

    test("the summary, the projects and the snapshots count the items", async () => {
      const mock = project();
      await mock.seed({ [type]: [{ title: "a" }], "/users/bob/posts": [{ title: "b" }, { title: "c" }] });
      expect((await mock.summary()).resources).toBe(3);
      expect(await driven.client.projects({ q: mock.key })).toMatchObject([{ resources: 3 }]);
      expect(await mock.snapshot("all")).toMatchObject({ resources: 3 });
      await mock.state.import(await mock.state.export());
      await mock.restore("all");
      expect(await mock.snapshots.list()).toMatchObject([{ name: "all", resources: 3 }]);
    });

    test("cannot be found without a user: the error names the form of the path", async () => {
      const mock = project();
      const message = "type: expected the path of a collection, such as /users/{user}/posts, found none";
      for (const call of [
        () => mock.seed({ title: "a" } as never),
        () => mock.seed({ generate: 2 }),
        () => mock.resources.list(),
        () => mock.resources.get(1),
        () => mock.resources.put<Post>(1, { title: "a" }),
        () => mock.resources.history(1),
        () => mock.resources.delete(1),
      ])
        await expect(call()).rejects.toThrow(message);
    });
  },
  { contract: documentOf(ofPosts) },
);

describeClients(
  "the types of a document",
  ({ project }) => {
    test.each([
      ["Pots", 'type: unknown type. Did you mean "Post"?'],
      ["Label", "type: unknown type. Known: Tag, Post."],
      [
        "/users/ann/post",
        'type: expected the path of a collection, found "/users/ann/post". Nearest: /users/{user}/posts',
      ],
      ["/users/ann/posts/1", "found the path of an item"],
      ["users/ann/posts", 'type: expected "/users/ann/posts", with a slash at its start'],
    ])("an unknown type such as %s gets the nearest or the known ones", async (unknown, message) => {
      await expect(project().resources.list({ type: unknown })).rejects.toThrow(message);
    });

    test("the first collection that all share is the default", async () => {
      const mock = project();
      await mock.seed({ Tag: [{ name: "sea" }] });
      expect((await mock.types()).map(({ name }) => name)).toEqual(["Tag", "Post"]);
      expect(await mock.resources.get("sea")).toMatchObject({ name: "sea" });
    });
  },
  { contract: documentOf({ ...ofPosts, ...ofTags }) },
);

describe("a document without types", () => {
  describeClients(
    "in the client",
    ({ project }) => {
      test("has an empty state, and errors say so", async () => {
        const mock = project();
        expect(await mock.types()).toEqual([]);
        await expect(mock.seed({ a: 1 } as never)).rejects.toThrow("type: unknown type. The contract has none.");
        await mock.use("server-error");
        expect((await mock.summary()).resources).toBe(0);
      });
    },
    { contract: documentOf({ "/ping": { get: { responses: { 200: { description: "Here." } } } } }) },
  );
});
