import { expect, test } from "vitest";
import { identifierOf } from "../../src/contract/resource-type.ts";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { loadContract } from "../../src/openapi/index.ts";
import { contract as builtIn } from "../../src/services/generic-resource/contract.ts";
import { library } from "../setup/library.ts";

const { contract } = await loadContract(library);

test.each<[method: string, path: string, role: string, reason: string]>([
  ["GET", "/books", "list Book", "GET on the collection of /books/{book_id}"],
  ["POST", "/books", "create Book", "POST on the collection of /books/{book_id}"],
  ["DELETE", "/books", "", "DELETE for several items"],
  ["PUT", "/books", "", "PUT for several items"],
  ["GET", "/books/{book_id}", "read Book", "GET on the item /books/{book_id}"],
  ["HEAD", "/books/{book_id}", "read Book", "HEAD on the item /books/{book_id}"],
  ["PUT", "/books/{book_id}", "replace Book", "PUT on /books/{book_id} whose body is a whole item"],
  ["PATCH", "/books/{book_id}", "merge Book", "PATCH on /books/{book_id}"],
  ["DELETE", "/books/{book_id}", "delete Book", "DELETE on /books/{book_id}"],
  ["GET", "/books/search", "list Book", "GET that finds items of /books/{book_id}"],
  ["POST", "/books/search", "", "nothing reads or writes items there"],
  ["POST", "/books/{book_id}/archive", "", "a verb at the end of the path"],
  ["POST", "/books/{book_id}:lend", "", "a verb at the end of the path"],
  ["POST", "/books/bulk", "", "a verb at the end of the path"],
  ["GET", "/books/{book_id}/cover.{format}", "", "a parameter that names no item"],
  ["GET", "/books/{book_id}/copies", "list Copy", "GET on the collection of /books/{id}/copies/{copy_number}"],
  ["POST", "/books/{book_id}/copies", "create Copy", "POST on the collection of /books/{id}/copies/{copy_number}"],
  ["GET", "/books/{id}/copies/{copy_number}", "read Copy", "GET on the item /books/{id}/copies/{copy_number}"],
  [
    "PUT",
    "/books/{id}/copies/{copy_number}",
    "replace Copy",
    "PUT on /books/{id}/copies/{copy_number} whose body is a whole item",
  ],
  ["DELETE", "/books/{id}/copies/{copy_number}", "delete Copy", "DELETE on /books/{id}/copies/{copy_number}"],
  ["GET", "/shelves", "list Shelf", "GET on the collection of /shelves/{shelf}"],
  ["POST", "/shelves", "create Shelf", "POST on the collection of /shelves/{shelf}"],
  ["PUT", "/shelves/{shelf}", "replace Shelf", "PUT on /shelves/{shelf} whose body is a whole item"],
  ["PUT", "/shelf", "", "nothing reads or writes items there"],
  ["GET", "/loans.json", "list Loan", "GET on the collection of /loans/{id}.json"],
  ["POST", "/loans.json", "create Loan", "POST on the collection of /loans/{id}.json"],
  ["GET", "/loans/{id}.json", "read Loan", "GET on the item /loans/{id}.json"],
  ["GET", "/Notes", "list Note", "GET on the collection of /Notes({noteId})"],
  ["DELETE", "/Notes({noteId})", "delete Note", "DELETE on /Notes({noteId})"],
  ["GET", "/settings", "read /settings", "GET on /settings, which PUT changes"],
  ["PUT", "/settings", "replace /settings", "PUT on /settings whose body is a whole item"],
  ["PATCH", "/books/{book_id}/settings", "merge /books/{book_id}/settings", "PATCH on /books/{book_id}/settings"],
  ["GET", "/statistics", "", "nothing reads or writes items there"],
  ["GET", "/genres", "", "GET on the collection of /genres, but nothing changes such items"],
  ["POST", "/login", "", "a verb at the end of the path"],
  [
    "POST",
    "/namespaces/{namespace}/pods",
    "create Pod",
    "POST on the collection of /namespaces/{namespace}/pods/{name}",
  ],
  [
    "PUT",
    "/namespaces/{namespace}/pods/{name}",
    "replace Pod",
    "PUT on /namespaces/{namespace}/pods/{name} whose body is a whole item",
  ],
  [
    "GET",
    "/namespaces/{namespace}/pods/{name}/status",
    "read Pod",
    "GET on the item /namespaces/{namespace}/pods/{name}",
  ],
  [
    "PUT",
    "/namespaces/{namespace}/pods/{name}/status",
    "merge Pod",
    "PUT on /namespaces/{namespace}/pods/{name} whose body has only some members of the item",
  ],
  ["GET", "/stores/key={key}", "read Store", "GET on the item /stores/{ID}"],
  ["DELETE", "/stores/key={key}", "delete Store", "DELETE on /stores/{ID}"],
  ["POST", "/stores/{ID}", "update Store", "POST on /stores/{ID} whose body has update actions"],
  [
    "POST",
    "/user/repos",
    "create Repository",
    "POST on the collection of /user/repos, whose items are those of /repos/{owner}/{repo}",
  ],
  [
    "GET",
    "/user/repos",
    "list Repository",
    "GET on the collection of /user/repos, whose items are those of /repos/{owner}/{repo}",
  ],
  [
    "POST",
    "/orgs/{org}/repos",
    "create Repository",
    "POST on the collection of /orgs/{org}/repos, whose items are those of /repos/{owner}/{repo}",
  ],
  [
    "POST",
    "/repos/{owner}/{repo}/merges",
    "",
    "POST on the collection of /repos/{owner}/{repo}/merges, but nothing reads such items",
  ],
])("the operation %s %s has the role %j, because of: %s", (method, path, expected, reason) => {
  const operation = contract.operations.find((each) => each.method === method && each.path === path);
  const { role } = operation ?? {};
  expect([role ? `${role.does} ${role.type}` : "", operation?.reason]).toEqual([expected, reason]);
});

test.each<[type: string, facts: object]>([
  [
    "Book",
    { path: "/books", itemPath: "/books/{book_id}", id: { form: "integer", member: "id" }, version: ["version"] },
  ],
  [
    "Copy",
    { scope: ["book_id"], id: { form: "integer", member: "number" }, parents: [{ type: "Book", scope: 0, parts: 1 }] },
  ],
  ["Shelf", { id: { member: "code" } }],
  ["Loan", { path: "/loans.json", id: { form: "uuid", member: "id" } }],
  ["Note", { path: "/Notes", itemPath: "/Notes({noteId})", id: { form: "integer", member: "id" } }],
  ["/settings", { kind: "singleton", path: "/settings" }],
  ["Pod", { scope: ["namespace"], id: { parts: [{ member: ["metadata", "name"] }] } }],
  ["Store", { id: { member: "id" }, alternates: ["key"], showsAlternates: true }],
  ["Repository", { path: "/repos", id: { parts: [{ member: ["owner", "login"] }, { member: ["name"] }] } }],
])("the type %s", (name, facts) => {
  expect(contract.typeOf(name)).toMatchObject(facts);
});

test("a list says where its items and facts are, and what its parameters mean", () => {
  const { role } = contract.find("getBooks") ?? {};
  expect(role).toMatchObject({
    list: {
      at: ["data"],
      facts: [
        { at: ["meta", "total_count"], is: "total" },
        { at: ["meta", "page"], is: "page" },
        { at: ["next"], is: "next" },
      ],
      query: { limit: "per_page", page: "page", sort: "order_by", direction: "direction" },
      filters: { title: ["title"], tags: ["tags"] },
      ignored: ["author", "q"],
    },
  });
});

test.each<[operation: string, role: object]>([
  [
    "getBooksByIdCopiesByCopyNumber",
    { scope: ["id"], by: { parameters: ["copy_number"], member: "id" }, response: ["copy"] },
  ],
  ["postBooksByBookIdCopies", { scope: ["book_id"], keeps: [{ parameter: "book_id", member: ["bookId"] }] }],
  ["postLoansJson", { body: ["loan"] }],
  ["postNamespacesByNamespacePods", { keeps: [{ parameter: "namespace", member: ["metadata", "namespace"] }] }],
  ["deleteNamespacesByNamespacePodsByName", { response: null }],
  ["putShelvesByShelf", { creates: true }],
  ["getStoresKeyByKey", { by: { parameters: ["key"], member: "key" } }],
  ["postOrgsByOrgRepos", { keeps: [{ parameter: "org", member: ["owner", "login"] }] }],
])("the role of %s says which parts name and hold the item", (id, role) => {
  expect(contract.find(id)?.role).toMatchObject(role);
});

test("the document of the built-in service leads to the roles that the service declares, but for a list elsewhere", async () => {
  await using mock = await createResourceMock();
  const document = (await (await mock.fetch("http://in.process/__admin/contract.json")).json()) as object;
  const { contract: documented } = await loadContract(document);
  const rolesOf = ({ operations }: typeof documented) =>
    Object.fromEntries(
      operations.flatMap(({ id, role }) => (role ? [[id, { does: role.does, by: identifierOf(role) }] as const] : [])),
    );
  const { queryWithSortedParameters: _elsewhere, ...declared } = rolesOf(builtIn);
  // Handlers of its own.
  const { readNamespaceAction: _read, writeNamespaceAction: _write, ...found } = rolesOf(documented);
  expect(found).toEqual(declared);
});
