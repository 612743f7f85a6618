/* A client of the library, as a team would write it. By default, it has four bugs that only failures show. */

export interface Book {
  readonly id?: number;
  readonly title: string;
  readonly author: string;
}

interface Loan {
  readonly version: number;
  readonly renewals?: number;
}

/** The bugs that are fixed: no retry after 503, a lost last page, a write twice, and an overwritten change. */
export interface Fixes {
  readonly retries?: boolean;
  readonly lastPage?: boolean;
  readonly writesOnce?: boolean;
  readonly readsAgain?: boolean;
}

export function libraryClient(baseUrl: string, fixes: Fixes = {}, token = "") {
  async function send(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const headers = {
      "X-API-Key": "reader-key",
      "Content-Type": "application/json",
      ...(token !== "" && { Authorization: `Bearer ${token}` }),
    };
    const response = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (response.status === 503 && fixes.retries) return send(method, path, body);
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  async function ok<Body>(method: string, path: string, body?: object): Promise<Body> {
    const reply = await send(method, path, body);
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Body;
  }

  async function allBooks(limit = 2): Promise<Book[]> {
    const books: Book[] = [];
    for (let offset = 0; ; offset += limit) {
      const { items } = await ok<{ items: Book[] }>("GET", `/books?limit=${limit}&offset=${offset}`);
      if (items.length < limit && !fixes.lastPage) return books;
      books.push(...items);
      if (items.length < limit) return books;
    }
  }

  async function addBook(book: Book): Promise<Book> {
    try {
      return await ok("POST", "/books", book);
    } catch (error) {
      // A response that ended early is no JSON. The service can have the book already.
      if (error instanceof Error && /^POST/.test(error.message)) throw error;
      const known = (await allBooks()).find(({ title }) => title === book.title);
      return fixes.writesOnce && known ? known : ok("POST", "/books", book);
    }
  }

  async function renew(id: number): Promise<Loan> {
    const loan = await ok<Loan>("GET", `/loans/${id}`);
    const renewed = { ...loan, renewals: (loan.renewals ?? 0) + 1 };
    const reply = await send("PUT", `/loans/${id}`, renewed);
    if (reply.status !== 409) return reply.body as Loan;
    return fixes.readsAgain ? renew(id) : ok<Loan>("PUT", `/loans/${id}`, { ...renewed, version: loan.version + 1 });
  }

  return { send, ok, allBooks, addBook, renew };
}
