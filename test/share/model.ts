import { expect } from "vitest";
import { json } from "../setup/mock.ts";

/** Sends a request to any replica. Rejects if the connection breaks. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** The number of requests that the rule of the shared project responds to. */
const TIMES = 20;

/**
 * Clients that know what the store must have. A request without a response, or with 503, can have been stored or not, so
 * its client reads the state until it knows.
 */
export class Model {
  readonly #send: Send;
  readonly #requestIds: string[] = [];
  readonly #stubbed = { acknowledged: 0, unknown: 0 };
  readonly #tokens: string[] = [];
  readonly #shared: string;
  /** The number of requests that can have been stored or not. */
  unknown = 0;

  constructor(send: Send, name: string) {
    this.#send = send;
    this.#shared = `${name}-shared`;
  }

  /** Prepares the project that all clients use. */
  async prepare(): Promise<void> {
    await this.#until(`/__admin/projects/${this.#shared}/settings`, json("PATCH", { journalSize: 20_000 }));
    const rule = { operation: "getResourceByKey", respond: { status: 500 }, times: TIMES };
    await this.#until(`/__admin/projects/${this.#shared}/rules`, json("POST", rule));
  }

  /** Returns the response; undefined if the request can have been stored or not. */
  async #try(path: string, init?: RequestInit): Promise<Response | undefined> {
    const response = await this.#send(path, init).catch(() => undefined);
    const id = response?.headers.get("mock-request-id");
    if (id && id !== "none") this.#requestIds.push(id);
    if (response && response.status !== 503) return response;
    this.unknown++;
    return undefined;
  }

  /** Repeats a request until it gets a response. */
  async #until(path: string, init?: RequestInit): Promise<Response> {
    for (;;) {
      const response = await this.#try(path, init);
      if (response) return response;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Runs one client while `goesOn` returns true. The client writes its own resource of the shared project, and a project
   * of its own.
   */
  async runClient(client: number, goesOn: () => boolean): Promise<void> {
    const mine = `/${this.#shared}/resource/client-${client}`;
    const own = `${this.#shared}-${client}`;
    let version = await this.#versionOf(mine);
    let created = 0;
    for (let step = 0; goesOn(); step++) {
      const update = { version, actions: [{ action: "changeSomeProperty", someProperty: `step ${step}` }] };
      const updated = await this.#try(mine, json("POST", update));
      if (updated) expect([updated.status, await updated.json()]).toMatchObject([200, { version: version + 1 }]);
      const now = await this.#versionOf(mine);
      expect(updated ? [version + 1] : [version, version + 1]).toContain(now);
      version = now;

      const stubbed = await this.#try(`/${this.#shared}/resource/key=any`);
      if (!stubbed) this.#stubbed.unknown++;
      else if (stubbed.status === 500) this.#stubbed.acknowledged++;

      const done = await this.#try(`/${own}/resource`, json("POST", { objectTypeProperty: {} }));
      if (done) expect(done.status).toBe(201);
      const stored = await this.#createdIn(own);
      expect(done ? [created + 1] : [created, created + 1]).toContain(stored);
      created = stored;

      if (step % 5 === 4) {
        const init = step % 2 === 0 ? { method: "POST" } : { method: "DELETE" };
        const reset = await this.#try(`/__admin/projects/${own}${step % 2 === 0 ? "/reset" : ""}`, init);
        if (reset) expect(reset.status).toBe(204);
        const left = await this.#createdIn(own);
        expect(reset ? [0] : [created, 0]).toContain(left);
        created = left;
        const issued = await this.#try(`/__admin/projects/${this.#shared}/tokens`, { method: "POST" });
        if (issued) this.#tokens.push(((await issued.json()) as { access_token: string }).access_token);
      }
    }
  }

  async #versionOf(path: string): Promise<number> {
    return ((await (await this.#until(path)).json()) as { version: number }).version;
  }

  /** Returns the number of resources that were created in a project, in addition to the initial ones. */
  async #createdIn(project: string): Promise<number> {
    const response = await this.#until(`/__admin/projects/${project}`);
    return response.status === 404 ? 0 : ((await response.json()) as { resources: number }).resources - 5;
  }

  /** Returns the ids of all requests in a journal, newest first. */
  async #journal(path: string, before = ""): Promise<string[]> {
    const page = (await (await this.#until(path + before)).json()) as { requests: { id: string }[]; next?: string };
    const older = page.next === undefined ? [] : await this.#journal(path, `&before=${page.next}`);
    return [...page.requests.map(({ id }) => id), ...older];
  }

  /** Expects that the store has everything that was acknowledged, and nothing twice. */
  async expectAll(): Promise<void> {
    expect(new Set(this.#requestIds).size).toBe(this.#requestIds.length);
    const shared = `/__admin/projects/${this.#shared}`;
    const stored = await this.#journal(`${shared}/requests?limit=1000&brief=true`);
    expect(new Set(stored).size).toBe(stored.length);
    const prefix = stored[0]?.split("-")[0];
    const acknowledged = this.#requestIds.filter((id) => id.split("-")[0] === prefix);
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);

    const { rules } = (await (await this.#until(`${shared}/rules`)).json()) as { rules: { used: number }[] };
    // A repeated call can have added the rule twice.
    const used = rules.reduce((sum, rule) => sum + rule.used, 0);
    expect(used).toBeGreaterThanOrEqual(this.#stubbed.acknowledged);
    expect(used).toBeLessThanOrEqual(
      Math.min(TIMES * rules.length, this.#stubbed.acknowledged + this.#stubbed.unknown),
    );

    const listed = await this.#until(`${shared}/tokens?limit=1000`);
    const { tokens } = (await listed.json()) as { tokens: { startsWith: string }[] };
    const starts = tokens.map(({ startsWith }) => startsWith);
    expect(this.#tokens.filter((token) => !starts.includes(token.slice(0, 6)))).toEqual([]);
  }
}
