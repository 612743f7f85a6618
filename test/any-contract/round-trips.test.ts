import { expect, test } from "vitest";
import { send } from "../setup/documents.ts";
import { library } from "../setup/library.ts";
import { onTransports } from "../setup/mock.ts";

interface Trip {
  readonly create: readonly [path: string, body: object];
  /** The path of the item, if the response has no `Location`. */
  readonly item?: string;
  readonly list?: string;
  readonly change?: readonly [method: string, body: object];
  readonly without?: "delete";
}

const trips: readonly (readonly [what: string, trip: Trip])[] = [
  [
    "an integer id",
    { create: ["/books", { title: "Dune", tags: ["sand"] }], list: "/books", change: ["PATCH", { title: "Ubik" }] },
  ],
  [
    "an id that is unique below another item",
    { create: ["/books/7/copies", { shelf: "A" }], list: "/books/7/copies", change: ["PUT", { shelf: "B" }] },
  ],
  [
    "a text that the client chooses, and no body",
    {
      create: ["/shelves", { code: "north/east, 1", name: "N", room: "1" }],
      item: "/shelves/north%2Feast%2C%201",
      list: "/shelves",
      change: ["PUT", { code: "north/east, 1", name: "M", room: "2" }],
      without: "delete",
    },
  ],
  [
    "a UUID, a wrapped body and paths that end in .json",
    {
      create: ["/loans.json", { loan: { until: "May", copy: 3 } }],
      item: "/loans/{id}.json",
      list: "/loans.json",
      change: ["PATCH", { until: "June" }],
      without: "delete",
    },
  ],
  ["an id in brackets", { create: ["/Notes", { text: "Call" }], list: "/Notes" }],
  [
    "a name within metadata",
    {
      create: ["/namespaces/dev/pods", { kind: "Pod", metadata: { name: "web" }, spec: { image: "a" } }],
      list: "/namespaces/dev/pods",
      change: ["PUT", { kind: "Pod", metadata: { name: "web", namespace: "dev" }, spec: { image: "b" } }],
    },
  ],
  [
    "a name of two parts, created elsewhere",
    { create: ["/orgs/acme/repos", { name: "app" }], item: "/repos/acme/app", list: "/user/repos" },
  ],
];

onTransports("round trips", { contract: library }, (mock) => {
  test.each(trips)("%s", async (_what, { create: [path, sent], item, list, change, without }) => {
    const call = (request: string, body?: unknown) => send(mock, request.replace(" ", " /p"), {}, body);
    const created = await call(`POST ${path}`, sent);
    expect(created.status).toBeLessThan(300);
    const at = item?.replace("{id}", created.body.id) ?? created.headers.get("Location")?.replace("/p", "") ?? "";
    const read = await call(`GET ${at}`);
    expect([read.status, read.isOffContract]).toEqual([200, false]);
    const itemOf = (body: { copy?: unknown }) => (typeof body.copy === "object" ? body.copy : body);
    if (created.body) expect(itemOf(read.body)).toEqual(created.body);
    const inner = Object.values(sent)[0];
    expect(itemOf(read.body)).toMatchObject(typeof inner === "object" && "until" in inner ? inner : sent);
    const isListed = async () =>
      JSON.stringify((await call(`GET ${list}`)).body).includes(JSON.stringify(itemOf(read.body)));
    if (list) expect(await isListed()).toBe(true);
    if (change) {
      const [method, body] = change;
      expect((await call(`${method} ${at}`, body)).status).toBeLessThan(300);
      expect(itemOf((await call(`GET ${at}`)).body)).toMatchObject(body);
    }
    if (without === "delete") return;
    expect((await call(`DELETE ${at}`)).status).toBeLessThan(300);
    expect((await call(`GET ${at}`)).status).toBe(404);
    if (list) expect(await isListed()).toBe(false);
  });
});
