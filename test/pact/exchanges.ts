import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest } from "../setup/mock.ts";
import { configure, draft, update, write } from "../setup/resources.ts";

/** Exchanges of a consumer with every kind of response that a pact can contain. */
export async function useService(mock: MockUnderTest, project: string): Promise<void> {
  const token = async (body = {}) => {
    const reply = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", body);
    return { Authorization: `Bearer ${reply.body.access_token}` };
  };
  const send = (path: string, init?: RequestInit) => mock.resource(project, path, init);
  const png = Buffer.from("89504e470d0a1a0a00ff", "hex");
  const image = (type: string) => ({ method: "POST", headers: { "Content-Type": type }, body: png });
  const complex = "/artificially-complex/path/uri-parameter-one=a%20b/c";

  const { id } = await write(mock, project, "POST", draft, await token());
  await send(`/${id}`, { headers: await token() });
  await send(`/${id}?optionalQueryParameter=a%20b`);
  await send("/key=a%20b%2Fc");
  await send(`/${id}`, update(1, [{ action: "doSomeThing" }, { action: "changeSomeProperty", someProperty: "x" }]));
  await send(`/${id}`, update(1));
  await send("", json("PUT", draft));
  await send("", json("PATCH", draft));
  await send(`/${id}`, { method: "DELETE" });
  await send(`/${id}`, { method: "DELETE" });
  await send("", { method: "HEAD" });
  await send("?integerParameter=4");
  await send("/searchApiPattern?text.en=dress&fuzzy=true&fuzzyLevel=2");
  await send(`/sorted-query-parameters?limit=2&sort=version&where=${encodeURIComponent("version >= 1")}`);
  await send("/sorted-query-parameters?limit=0&withTotal=false");
  await inProject(mock, project, "POST", "/resources", { generate: 30, seed: 1 });
  await send("/sorted-query-parameters?limit=10&offset=20");
  await inProject(mock, project, "PUT", "/resources/an-id", { ...draft, key: "a-key" });
  await send(`/sorted-query-parameters?where=${encodeURIComponent('key = "a-key"')}`);
  await send("/sorted-query-parameters?where=bad(");
  await send(`${complex}?queryParameterOne=1.5`, json("POST", { id: "1", version: 2, createdAt: new Date() }));
  await send("/images?filename=a.png&variant=1", image("image/png"));
  await send("/images", image("image/jpeg"));
  await send("/images", image("text/plain"));
  await send("/namespace-action");
  await send("/namespace-action", json("POST", { list: [1, "x"], at: new Date(), deep: { none: null, yes: true } }));
  await send("/namespace-action");
  // JSON that a path of Pact cannot name, or that the verifier for Node cannot send.
  for (const body of [{ "": 1, "it's": [1, 2], "a.b\\": ["x"] }, { half: "\ud800" }, null, "text"]) {
    await send("/namespace-action", json("POST", body));
    await send("/namespace-action");
  }
  await send("/namespace-action-with-example");
  await send("", json("POST", { objectTypeProperty: 3 }));
  await send("/x", { headers: { Authorization: "Basic abc" } });

  await configure(mock, project, { auth: "strict" });
  await send("/x");
  await send("/x", { headers: { Authorization: "Bearer unknown" } });
  await send("", json("POST", draft, await token({ scopes: ["view_test"] })));
  await configure(mock, project, { auth: "lenient", collection: "paged" });
  await send("?limit=2");
  await configure(mock, project, { collection: "sample" });

  for (const scenario of scenarios) {
    await inProject(mock, project, "PUT", `/scenarios/${scenario}`);
    await send(`/${scenario}`, update(1));
    await send(complex, json("POST", {}));
    await send("");
    await send("", { method: "HEAD" });
    await inProject(mock, project, "DELETE", `/scenarios/${scenario}`);
  }
  await inProject(mock, project, "POST", "/rules", { operation: "getCart", respond: { status: 404 } });
  await send("/namespace-action-with-example");
  await send("/a", { headers: { Prefer: "code=503" } });
  await configure(mock, project, { rateLimit: { limit: 1, window: 100_000 } });
  await send("/a");
  await send("/a");
}

const scenarios = [
  "concurrent-writer",
  "conflict",
  "created",
  "empty-head",
  "insufficient-scope",
  "non-authoritative",
  "not-found",
  "paged-query",
  "rate-limited",
  "server-error",
  "token-expired",
  "unauthorized",
  "unavailable-then-ok",
];
