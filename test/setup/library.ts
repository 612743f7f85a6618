import { documentOf, objectOf } from "./documents.ts";

/** A document with the kinds of collections, ids, lists and bodies that real documents have. */

const text = { type: "string" };
const integer = { type: "integer" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: object) => ({ type: "array", items });

/** Schemas of the kinds that documents have. */
const schemas = {
  Book: objectOf({
    id: { ...integer, readOnly: true },
    title: text,
    tags: listOf(text),
    author: ref("Person"),
    version: integer,
  }),
  NewBook: objectOf({ title: text, tags: listOf(text) }),
  Person: objectOf({ login: text, name: text }),
  Shelf: objectOf({ code: text, name: text, room: text }),
  Copy: objectOf({ number: integer, shelf: text, bookId: integer }),
  Loan: objectOf({ id: { ...text, format: "uuid" }, until: text, copy: integer }),
  Note: objectOf({ id: integer, text }),
  Settings: objectOf({ theme: text, size: integer }),
  Pod: objectOf({
    kind: text,
    metadata: { ...objectOf({ name: text, namespace: text }), required: ["name"] },
    spec: objectOf({ image: text }),
  }),
  Store: objectOf({ key: text, id: text, label: text, owner: ref("Person") }),
  Repository: objectOf({ name: text, private: { type: "boolean" }, owner: ref("Person"), stars: integer }),
};

/** Returns an operation: the schema that it returns, and the one that it accepts. */
function does(answer?: object, body?: object, status = 200, parameters: object[] = []): object {
  const content = (schema: object) => ({ content: { "application/json": { schema } } });
  return {
    responses: { [status]: { description: "", ...(answer && content(answer)) } },
    ...(body && { requestBody: content(body) }),
    parameters,
  };
}

const query = (name: string, schema: object = text) => ({ in: "query", name, schema });
const Books = objectOf({
  data: listOf(ref("Book")),
  meta: objectOf({ total_count: integer, page: integer }),
  next: text,
});

const paths: Record<string, Record<string, object>> = {
  "/books": {
    get: does(Books, undefined, 200, [
      query("title"),
      query("tags"),
      query("per_page", integer),
      query("page", integer),
      query("order_by"),
      query("direction", { enum: ["asc", "desc"] }),
      query("author"),
      query("q"),
    ]),
    post: does(ref("Book"), ref("NewBook"), 201),
    delete: does(undefined, undefined, 204),
    put: does(listOf(ref("Book")), listOf(ref("Book"))),
  },
  "/books/{book_id}": {
    get: does(ref("Book")),
    head: does(),
    put: does(ref("Book"), ref("NewBook")),
    patch: does(ref("Book"), objectOf({ title: text })),
    delete: does(undefined, undefined, 204),
  },
  "/books/search": {
    get: does(listOf(ref("Book")), undefined, 200, [query("title")]),
    post: does(listOf(ref("Book")), objectOf({})),
  },
  "/books/{book_id}/archive": { post: does(ref("Book")) },
  "/books/{book_id}:lend": { post: does(ref("Loan"), objectOf({ until: text })) },
  "/books/bulk": { post: does(undefined, listOf(ref("NewBook"))) },
  "/books/{book_id}/cover.{format}": { get: does(text) },
  "/books/{book_id}/copies": {
    get: does(listOf(ref("Copy"))),
    post: does(ref("Copy"), objectOf({ shelf: text }), 201),
  },
  "/books/{id}/copies/{copy_number}": {
    get: does(objectOf({ copy: ref("Copy") })),
    put: does(ref("Copy"), objectOf({ shelf: text })),
    delete: does(),
  },
  "/shelves": { get: does(objectOf({ shelves: listOf(ref("Shelf")) })), post: does(undefined, ref("Shelf"), 204) },
  "/shelves/{shelf}": { get: does(ref("Shelf")), put: does(ref("Shelf"), ref("Shelf"), 201) },
  "/shelf": { put: does(ref("Shelf"), ref("Shelf")) },
  "/loans.json": {
    get: does(listOf(ref("Loan"))),
    post: does(ref("Loan"), objectOf({ loan: objectOf({ until: text, copy: integer }) })),
  },
  "/loans/{id}.json": { get: does(ref("Loan")), patch: does(ref("Loan"), objectOf({ until: text })) },
  "/Notes": { get: does(objectOf({ value: listOf(ref("Note")) })), post: does(ref("Note"), objectOf({ text }), 201) },
  "/Notes({noteId})": { get: does(ref("Note")), delete: does(undefined, undefined, 204) },
  "/settings": { get: does(ref("Settings")), put: does(ref("Settings"), ref("Settings")) },
  "/books/{book_id}/settings": { get: does(ref("Settings")), patch: does(ref("Settings"), ref("Settings")) },
  "/statistics": { get: does(objectOf({ count: integer })) },
  "/genres": { get: does(listOf(text)) },
  "/login": { post: does(objectOf({ token: text }), objectOf({ user: text })) },
  "/namespaces/{namespace}/pods": {
    get: does(objectOf({ items: listOf(ref("Pod")), kind: text })),
    post: does(ref("Pod"), ref("Pod"), 201),
  },
  "/namespaces/{namespace}/pods/{name}": {
    get: does(ref("Pod")),
    put: does(ref("Pod"), ref("Pod"), 201),
    delete: does(objectOf({ status: text, code: integer })),
  },
  "/namespaces/{namespace}/pods/{name}/status": { get: does(ref("Pod")), put: does(ref("Pod"), ref("Pod")) },
  "/stores": { post: does(ref("Store"), objectOf({ key: text, label: text }), 201) },
  "/stores/{ID}": {
    get: does(ref("Store")),
    post: does(ref("Store"), objectOf({ version: integer, actions: listOf(objectOf({ action: text })) })),
  },
  "/stores/key={key}": { get: does(ref("Store")), delete: does(ref("Store")) },
  "/user/repos": {
    get: does(listOf(ref("Repository"))),
    post: does(ref("Repository"), objectOf({ name: text, private: { type: "boolean" } }), 201),
  },
  "/orgs/{org}/repos": { post: does(ref("Repository"), objectOf({ name: text }), 201) },
  "/repos/{owner}/{repo}": { get: does(ref("Repository")), delete: does(undefined, undefined, 204) },
  "/repos/{owner}/{repo}/merges": { post: does(ref("Repository"), objectOf({ name: text }), 201) },
};

export const library = documentOf(paths, { components: { schemas } });
