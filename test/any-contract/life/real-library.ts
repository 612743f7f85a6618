/*
 * A real library service as a process of its own, with Node alone. It prints its port. With the argument `deviating`, its
 * responses violate the document: a wrong status, a missing member, a wrong type and a wrong media type.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const isDeviating = process.argv.includes("deviating");
const books: Record<string, unknown>[] = [
  { id: 1, title: "Middlemarch", author: "George Eliot", year: 1871 },
  { id: 2, title: "Emma", author: "Jane Austen" },
];
const copies = [{ barcode: "0042", shelf: "A1" }];

createServer(async (request, response) => {
  const reply = (status: number, body: unknown, type = "application/json") =>
    response.writeHead(status, { "Content-Type": type }).end(body === undefined ? "" : JSON.stringify(body));
  const { pathname } = new URL(request.url ?? "", "http://library");
  const [, collection, id, below] = pathname.split("/");
  const book = books.find((each) => String(each.id) === id);
  if (collection === "opening-hours")
    return reply(200, { opens: "09:00", closes: "18:00" }, isDeviating ? "text/plain" : undefined);
  if (collection !== "books") return reply(404, { title: "Not Found", status: 404 }, "application/problem+json");
  if (request.method === "POST") {
    const text = (await request.toArray()).join("");
    const sent = text.startsWith('{"') ? JSON.parse(text) : {};
    if (!sent.title) return reply(422, { title: "Invalid", status: 422 }, "application/problem+json");
    books.push({ ...sent, id: books.length + 1 });
    return reply(isDeviating ? 200 : 201, books.at(-1));
  }
  if (id === undefined) {
    const page = { items: books, total: books.length, limit: 20, offset: 0 };
    return reply(200, isDeviating ? { ...page, total: undefined } : page);
  }
  if (!book) return reply(404, { title: "Not Found", status: 404 }, "application/problem+json");
  if (below === "copies") return reply(200, copies);
  return reply(200, isDeviating ? { ...book, title: 7 } : book);
}).listen(0, "127.0.0.1", function (this: { address(): unknown }) {
  console.log((this.address() as AddressInfo).port);
});
