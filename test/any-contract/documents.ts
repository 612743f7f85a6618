/** A document with the kinds of paths that have state. */

const text = { type: "string" };
const integer = { type: "integer" };
const time = { type: "string", format: "date-time" };

const json = (schema: object, more: object = {}) => ({ content: { "application/json": { schema, ...more } } });
const ok = (schema: object, more: object = {}) => ({ description: "OK", ...json(schema, more) });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const inPath = (name: string, schema: object = text) => ({ in: "path", name, required: true, schema });
const inQuery = (name: string, schema: object = text) => ({ in: "query", name, schema });

const schemas = {
  NewBook: {
    type: "object",
    required: ["title"],
    properties: {
      title: { type: "string", minLength: 1 },
      pageCount: { type: "integer", minimum: 1 },
      secret: { type: "string", writeOnly: true },
      tags: { type: "array", items: text },
      author: { type: "object", required: ["name"], properties: { name: text, country: text, born: text } },
      price: { type: ["number", "null"] },
      draft: { type: "boolean" },
      unknownToTheService: text,
    },
  },
  Author: {
    type: "object",
    required: ["name", "country"],
    properties: { name: text, country: text, born: { type: "string", format: "date" } },
  },
  Book: {
    type: "object",
    required: ["id", "title", "price", "kind", "created_at", "owner"],
    properties: {
      id: { type: "integer", readOnly: true },
      node_id: { type: "string", readOnly: true },
      title: { type: "string", minLength: 1 },
      page_count: { type: "integer", minimum: 1 },
      secret: { type: "string", writeOnly: true },
      tags: { type: "array", items: text },
      author: ref("Author"),
      price: { type: ["number", "null"] },
      draft: { type: "boolean" },
      kind: { const: "book" },
      medium: { enum: ["paper"] },
      created_at: { ...time, readOnly: true },
      updatedAt: { type: "integer", format: "int64" },
      owner: { type: "object", required: ["login"], properties: { login: text } },
    },
  },
  Note: {
    type: "object",
    required: ["slug", "text"],
    properties: { slug: { type: "string", maxLength: 20, pattern: "^[a-z0-9-]+$" }, text, stars: { type: "integer" } },
  },
  User: {
    type: "object",
    required: ["id", "name", "email"],
    properties: { id: text, name: text, email: { type: "string", format: "email" }, createdAt: time },
  },
  Profile: { type: "object", required: ["theme"], properties: { theme: { enum: ["dark", "light"] }, size: integer } },
};

const book = {
  id: 41,
  title: "Emma",
  price: 9.5,
  kind: "book",
  created_at: "2020-01-01T00:00:00Z",
  owner: { login: "jane" },
};

const paths = {
  "/books": {
    get: {
      operationId: "listBooks",
      parameters: [
        inQuery("limit", { type: "integer", minimum: 1, default: 50 }),
        inQuery("page", { type: "integer", minimum: 1 }),
        inQuery("sort"),
        inQuery("draft", { type: "boolean" }),
        inQuery("title"),
        inQuery("tags", { type: "array", items: text }),
        inQuery("author"),
        inQuery("q"),
      ],
      responses: {
        200: ok({
          type: "object",
          required: ["data", "meta"],
          properties: {
            data: { type: "array", items: ref("Book") },
            meta: {
              type: "object",
              required: ["total", "request"],
              properties: {
                total: integer,
                page: integer,
                pages: integer,
                has_more: { type: "boolean" },
                request: text,
              },
            },
            next: { type: ["string", "null"] },
          },
        }),
      },
    },
    post: {
      operationId: "createBook",
      requestBody: { required: true, ...json(ref("NewBook")) },
      responses: { 201: ok(ref("Book")), 409: { description: "Taken." }, 422: { description: "Invalid." } },
    },
  },
  "/books/{bookId}": {
    parameters: [inPath("bookId", integer)],
    get: {
      operationId: "getBook",
      responses: { 200: ok(ref("Book"), { example: book }), 404: { description: "None." } },
    },
    put: {
      operationId: "replaceBook",
      requestBody: { required: true, ...json(ref("NewBook")) },
      responses: { 200: ok(ref("Book")) },
    },
    patch: {
      operationId: "changeBook",
      requestBody: { ...json({ type: "object" }) },
      responses: { 200: ok(ref("Book")), 422: { description: "Invalid." } },
    },
    delete: { operationId: "deleteBook", responses: { 204: { description: "Deleted." } } },
  },
  "/books/{bookId}/notes": {
    parameters: [inPath("bookId", integer)],
    get: {
      operationId: "listNotes",
      parameters: [inQuery("starting_after"), inQuery("limit", integer), inQuery("stars", integer)],
      responses: {
        200: ok({
          type: "object",
          required: ["notes"],
          properties: { notes: { type: "array", items: ref("Note") }, next_cursor: { type: ["string", "null"] } },
        }),
      },
    },
    post: {
      operationId: "createNote",
      requestBody: { required: true, ...json({ ...schemas.Note, required: ["text"] }) },
      responses: { 201: ok(ref("Note")) },
    },
  },
  "/books/{bookId}/notes/{slug}": {
    parameters: [inPath("bookId", integer), inPath("slug")],
    get: { operationId: "getNote", responses: { 200: ok(ref("Note")) } },
    put: {
      operationId: "putNote",
      requestBody: { required: true, ...json({ ...schemas.Note, required: ["text"] }) },
      responses: { 200: ok(ref("Note")), 201: ok(ref("Note")) },
    },
    patch: { operationId: "renameNote", requestBody: json({ type: "object" }), responses: { 200: ok(ref("Note")) } },
    delete: { operationId: "deleteNote", responses: { 200: ok(ref("Note")) } },
  },
  "/profile": {
    get: { operationId: "getProfile", responses: { 200: ok(ref("Profile"), { example: { theme: "dark", size: 3 } }) } },
    patch: {
      operationId: "changeProfile",
      requestBody: json({ type: "object" }),
      responses: { 200: ok(ref("Profile")) },
    },
  },
  "/users": {
    get: { operationId: "listUsers", responses: { 200: ok({ type: "array", items: ref("User") }) } },
    post: { operationId: "createUser", requestBody: json(ref("User")), responses: { 201: ok(ref("User")) } },
  },
  "/users/{userId}": {
    get: { operationId: "getUser", parameters: [inPath("userId")], responses: { 200: ok(ref("User")) } },
  },
  "/countries/{code}": {
    get: {
      operationId: "getCountry",
      parameters: [inPath("code")],
      responses: { 200: ok({ type: "object", required: ["code", "name"], properties: { code: text, name: text } }) },
    },
  },
};

export const library = { openapi: "3.1.0", info: { title: "Library", version: "1" }, paths, components: { schemas } };
