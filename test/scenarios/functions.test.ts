import { describe, expect, expectTypeOf, test } from "vitest";
import { addFunction } from "../../src/engine/add-function.ts";
import type { AddAnyFunction, AddFunction, FunctionRequest } from "../../src/rules/function.ts";
import { activate, addRule, lastDecisions, reset } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { expectNoInternals } from "../setup/defects.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { json, type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
import { image, images } from "../setup/requests.ts";
import { draft, read, stateOf, update, write } from "../setup/resources.ts";

/** Returns the method that adds functions to a project of the mock, as `project.handle` does. */
function handleOf(mock: MockUnderTest, project: string): AddFunction {
  const handle: AddAnyFunction = (...added) => addFunction(mock.engine, project, ...added);
  return handle;
}

const cart = "/namespace-action-with-example";
const action = "/namespace-action";

onTransports("a function", { inOneProcess: "functions belong to a process" }, (mock) => {
  function open() {
    const project = newProject();
    return {
      project,
      handle: handleOf(mock, project),
      send: (path: string, init?: RequestInit) => mock.resource(project, path, init),
    };
  }

  test.each(["function", "function:f-1"])(
    "is found in lists, verifications and waits by the source %s",
    async (source) => {
      const { project, handle, send } = open();
      handle("getCart", () => ({ status: 200 }));
      await send(cart);
      expect((await inProject(mock, project, "GET", `/requests?source=${source}`)).body).toMatchObject({ total: 1 });
      expect((await inProject(mock, project, "GET", `/requests/wait?timeout=0&source=${source}`)).status).toBe(200);
      const match = { source };
      expect((await inProject(mock, project, "POST", "/requests/verify", { match, count: 1 })).status).toBe(200);
    },
  );

  test.each(["handler", "function:r-1", "functions", "rule:f-1"])("has no source %s", async (source) => {
    const { project } = open();
    const list = "expected state, fixture, example, scenario, rule, function, generated, upstream, error or defect";
    const listed = await inProject(mock, project, "GET", `/requests?source=${source}`);
    expectProblem(listed, 400, "InvalidField", list);
    const verified = await inProject(mock, project, "POST", "/requests/verify", { match: { source } });
    expectProblem(verified, 400, "InvalidField", list);
  });

  test("responds instead of the operation, with its status, headers and body", async () => {
    const { project, handle, send } = open();
    handle("createResource", (request) => ({
      status: 201,
      headers: { "X-Count": request.body.objectTypeProperty.arrayOfIntExample?.length ?? 0 },
      body: { version: 9, ...request.body },
    }));
    const response = await send("", json("POST", draft));
    expect([response.status, await response.json()]).toEqual([201, { version: 9, ...draft }]);
    expect(response.headers.get("X-Count")).toBe("1");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Mock-Source")).toBe("function:f-1");
    expect(response.headers.get("Location")).toMatch(new RegExp(`^/${project}/resource/`));
    expect(await lastDecisions(mock, project)).toContain("function f-1 responded with 201");
    expect(await stateOf(mock, project)).toEqual(await stateOf(mock, newProject()));
  });

  test("receives the decoded path, the typed query, the headers and the body", async () => {
    const { handle, project, send } = open();
    const seen: unknown[] = [];
    handle("updateResource", ({ operation, method, path, body, headers }) => {
      seen.push(operation, method, path, body.version, body.actions[0]?.action, headers["x-test"]);
      return undefined;
    });
    handle("queryWithSortedParameters", ({ query, body }) => {
      seen.push(query.limit, query.sort, query["var.size"], query.other, body);
      return undefined;
    });
    const sent = update(1);
    await send("/red%20shirt", { ...sent, headers: { ...sent.headers, "X-Test": "yes" } });
    await send("/sorted-query-parameters?limit=5&sort=version&var.size=L&other=x");
    expect(seen).toEqual([
      "updateResource",
      "POST",
      { projectKey: project, id: "red shirt" },
      1,
      "doSomeThing",
      "yes",
      5,
      ["version"],
      ["L"],
      "x",
      undefined,
    ]);
  });

  test("receives the bytes of an image", async () => {
    const { handle, send } = open();
    let seen: Uint8Array | undefined;
    handle("uploadImage", ({ body }) => {
      seen = body;
      return undefined;
    });
    await send("/images", image("image/png"));
    expect([...(seen ?? [])]).toEqual([...images["image/png"]]);
  });

  test("receives a copy of the stored resource, and cannot change the request or the state", async () => {
    const { project, handle, send } = open();
    const { id } = await write(mock, project);
    handle("updateResource", (request, { resource }) => {
      expect(resource).toMatchObject({ id, version: 1, objectTypeProperty: draft.objectTypeProperty });
      Object.assign(resource ?? {}, { version: 99 });
      resource?.objectTypeProperty.arrayOfIntExample?.push(2);
      Object.assign(request.body, { version: 99, actions: [] });
      Object.assign(request.path, { id: "other" });
      return undefined;
    });
    expect((await send(`/${id}`, update(1))).status).toBe(200);
    expect(await read(mock, project, `/${id}`)).toEqual({ version: 2, ...draft });
  });

  test("receives no resource if it is not stored, and creates none", async () => {
    const { project, handle, send } = open();
    const seen: unknown[] = [];
    handle("getResourceByKey", (_request, { resource }) => {
      seen.push(resource);
      return { status: 404 };
    });
    await expectStatus(send("/key=unknown"), 404);
    expect(seen).toEqual([undefined]);
    expect((await inProject(mock, project, "GET", "/resources?key=unknown")).body).toMatchObject({ total: 0 });
  });

  test("receives the time, UUIDs and random numbers of the project, which a reset repeats", async () => {
    const { project, handle, send } = open();
    const values = async () => {
      await inProject(mock, project, "PUT", "/clock", { now: "2024-05-17T09:30:00.000Z", frozen: true });
      handle("writeNamespaceAction", (_request, { now, uuid, random }) => ({
        status: 200,
        body: [now, uuid(), uuid(), random()],
      }));
      return (await (await send(action, json("POST", {}))).json()) as unknown[];
    };
    const first = await values();
    expect(first[0]).toBe("2024-05-17T09:30:00.000Z");
    expect(first[1]).not.toBe(first[2]);
    await reset(mock, project);
    expect(await values()).toEqual(first);
  });

  test("can be asynchronous", async () => {
    const { handle, send } = open();
    handle("getCart", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, body: { cartId: "late" } };
    });
    expect(await (await send(cart)).json()).toEqual({ cartId: "late" });
  });

  test("without a body returns the fixture of the status", async () => {
    const { handle, send } = open();
    handle("getCart", () => ({ status: 404 }));
    const response = await send(cart);
    expect([response.status, await response.text()]).toEqual([404, mock.fixtures.get("getCart", 404)?.text]);
  });

  test("can return a Response", async () => {
    const { handle, send } = open();
    // As in a response of fetch, whose body is decoded already.
    const headers = { "Content-Encoding": "gzip", "Content-Length": "5", "X-Cart": "yes" };
    handle("getCart", () => Response.json({ cartId: "a" }, { headers }));
    handle("readNamespaceAction", () => new Response('{"text":true}'));
    const response = await send(cart);
    expect([response.status, response.headers.get("X-Cart"), await response.json()]).toEqual([
      200,
      "yes",
      { cartId: "a" },
    ]);
    const text = await send(action);
    expect([text.headers.get("Content-Type"), await text.json()]).toEqual(["application/json", { text: true }]);
  });

  test("can set several cookies", async () => {
    const { handle, send } = open();
    const cookies: [string, string][] = [
      ["Set-Cookie", "a=b; Path=/"],
      ["Set-Cookie", "c=d"],
    ];
    const headers = () => new Headers(cookies);
    handle("getCart", () => Response.json({}, { headers: headers() }));
    handle("readNamespaceAction", () => ({ status: 502, headers: headers(), offContract: true }));
    for (const path of [cart, action]) {
      expect((await send(path)).headers.getSetCookie()).toEqual(["a=b; Path=/", "c=d"]);
    }
  });

  test("can return a plain object with several values of a header", async () => {
    const { handle, send } = open();
    const headers = { "Set-Cookie": ["a=b; Path=/", "c=d"], "X-Numbers": [1, 2] };
    handle("getCart", () => ({ status: 503, headers }));
    handle("readNamespaceAction", () => ({ status: 502, headers, offContract: true }));
    for (const path of [cart, action]) {
      const response = await send(path);
      expect([response.headers.getSetCookie(), response.headers.get("X-Numbers")]).toEqual([
        ["a=b; Path=/", "c=d"],
        "1, 2",
      ]);
    }
  });

  test.each<[string, object, string]>([
    [
      "two spellings of a name",
      { "X-A": "1", "x-a": "2" },
      '/headers/x-a: expected one spelling of the name, found "X-A"',
    ],
    ["an empty array", { "X-A": [] }, "/headers/X-A: expected "],
    ["an array in an array", { "X-A": [["a"]] }, "/headers/X-A: expected "],
    ["two content types", { "Content-Type": ["application/json; a", "text/html"] }, "/headers/Content-Type: expected"],
  ])("cannot send %s", async (_name, headers, message) => {
    const { handle, send } = open();
    handle("getCart", () => ({ status: 503, headers: headers as Record<string, string> }));
    const response = await send(cart);
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    ]);
  });

  test("can return a Response without a body", async () => {
    const { handle, send } = open();
    handle("getCart", () => new Response(null, { status: 503 }));
    handle("checkResourceExists", () => new Response(null, { status: 404 }));
    expect(await (await send(cart)).json()).toMatchObject({ statusCode: 503 });
    await expectBodiless(await send("", { method: "HEAD" }), 404);
  });

  test("passes the request on with undefined: to older rules and functions, scenarios, and then to the state", async () => {
    const { project, handle, send } = open();
    const order: string[] = [];
    const pass = (name: string) => () => {
      order.push(name);
      return undefined;
    };
    await activate(mock, project, "server-error", { times: 1 });
    handle("getCart", pass("first"));
    await addRule(mock, project, { operation: "getCart", times: 1, respond: { status: 429 } });
    handle("getCart", pass("second"));
    handle("getCart", pass("third"));
    const source = async () => {
      const response = await send(cart);
      return [response.status, response.headers.get("Mock-Source")];
    };
    expect(await source()).toEqual([429, "rule:r-1"]);
    expect(order.splice(0)).toEqual(["third", "second"]);
    expect(await source()).toEqual([500, "scenario:server-error"]);
    expect(order.splice(0)).toEqual(["third", "second", "first"]);
    expect(await source()).toEqual([200, "fixture:getCart/200.json"]);
    expect(await lastDecisions(mock, project)).toEqual(
      expect.arrayContaining([
        "function f-3 passed the request on",
        "function f-2 passed the request on",
        "function f-1 passed the request on",
      ]),
    );
  });

  test("that responds does not use up older rules", async () => {
    const { project, handle, send } = open();
    await addRule(mock, project, { operation: "getCart", times: 1, respond: { status: 429 } });
    const remove = handle("getCart", () => ({ status: 503 }));
    await expectStatus(send(cart), 503);
    await expectStatus(send(cart), 503);
    remove();
    await expectStatus(send(cart), 429);
    await expectStatus(send(cart), 200);
  });

  test("has lower precedence than newer rules and the Prefer header", async () => {
    const { project, handle, send } = open();
    let calls = 0;
    handle("getCart", () => {
      calls++;
      return undefined;
    });
    await expectStatus(send(cart, { headers: { Prefer: "code=503" } }), 503);
    await addRule(mock, project, { operation: "getCart", respond: { status: 429 } });
    await expectStatus(send(cart), 429);
    expect(calls).toBe(0);
  });

  test("combines with other effects: latency, conflicts and faults of delivery", async () => {
    const { project, handle, send } = open();
    const { id } = await write(mock, project);
    await addRule(mock, project, { operation: "updateResource", conflict: true, latency: { fixed: 1 } });
    handle("updateResource", (_request, { resource }) => ({
      status: 200,
      body: { version: resource?.version ?? 0, objectTypeProperty: {} },
    }));
    expect(await (await send(`/${id}`, update(1))).json()).toMatchObject({ version: 2 });
    expect(await lastDecisions(mock, project)).toContain("rule r-1 delayed the response by 1 ms");
  });

  test("is called only for valid, authorized requests of its operation", async () => {
    const { handle, send } = open();
    let calls = 0;
    handle("createResource", () => {
      calls++;
      return undefined;
    });
    await expectStatus(send("", json("POST", {})), 400);
    await expectStatus(send("", json("POST", draft, { Authorization: "Basic x" })), 401);
    await expectStatus(send("", json("PUT", draft)), 201);
    expect(calls).toBe(0);
  });

  test("ends when it is removed, and when the project is reset or deleted", async () => {
    const { project, handle, send } = open();
    const respond = () => ({ status: 503 }) as const;
    {
      const added = handle("getCart", respond);
      expect(added.id).toBe("f-1");
      await expectStatus(send(cart), 503);
      added();
      added();
      await expectStatus(send(cart), 200);
    }
    const disposed = handle("getCart", respond);
    await expectStatus(send(cart), 503);
    disposed[Symbol.dispose]();
    await expectStatus(send(cart), 200);

    const old = handle("getCart", respond);
    await reset(mock, project);
    await expectStatus(send(cart), 200);
    handle("getCart", respond);
    old();
    await expectStatus(send(cart), 503);
    await inProject(mock, project, "DELETE", "");
    await expectStatus(send(cart), 200);
  });

  test("stays when the rules are cleared, and is not in their list", async () => {
    const { project, handle, send } = open();
    handle("getCart", () => ({ status: 503 }));
    await addRule(mock, project, { operation: "getCart", latency: { fixed: 1 } });
    expect((await inProject(mock, project, "GET", "/rules")).body).toMatchObject({ total: 1, rules: [{ id: "r-1" }] });
    await inProject(mock, project, "DELETE", "/rules");
    await expectStatus(send(cart), 503);
  });

  test("counts toward the limit of rules", async () => {
    const { handle } = open();
    for (let count = 0; count < 1000; count++) handle("getCart", () => undefined);
    expect(() => handle("getCart", () => undefined)).toThrow("rules: expected at most 1000, found 1001");
  });
});

async function expectStatus(response: Promise<Response>, status: number): Promise<void> {
  const { status: found, body } = await response;
  await body?.cancel();
  expect(found).toBe(status);
}

onTransports(
  "a function that fails returns 500 InvalidStub",
  { inOneProcess: "functions belong to a process" },
  (mock) => {
    async function failure(respond: () => unknown, operation = "getCart", path = cart, init?: RequestInit) {
      const project = newProject();
      handleOf(mock, project)(operation as "getCart", respond as never);
      const response = await mock.resource(project, path, init);
      const text = await response.clone().text();
      expectNoInternals(text);
      const [error] = await expectError(response, "InvalidStub", { source: "function:f-1" });
      expect(await lastDecisions(mock, project)).toContain(`rejected: InvalidStub: ${error?.message}`);
      return error?.message;
    }

    test("the response has the message of a thrown error, without a stack trace", async () => {
      const fail = () => {
        throw new TypeError("no cart today");
      };
      expect(await failure(fail)).toBe("function f-1 threw: TypeError: no cart today");
      expect(await failure(async () => fail())).toBe("function f-1 threw: TypeError: no cart today");
      expect(await failure(() => Promise.reject("text"))).toBe('function f-1 threw: "text"');
      const long = await failure(() => {
        throw new Error("x".repeat(10_000));
      });
      expect(long?.length).toBeLessThan(400);
    });

    const unreadable = new Proxy(new Error(), {
      get() {
        throw new Error("trap");
      },
    });

    test.each<[string, () => unknown, string]>([
      ["throws an unreadable value", () => Promise.reject(unreadable), "function f-1 threw: an unreadable value"],
      [
        "returns a member that throws",
        () => ({
          status: 200,
          get body() {
            return fail();
          },
        }),
        "function f-1 threw: Error: no",
      ],
      [
        "returns a text as offContract",
        () => ({ status: 200, offContract: "yes" }),
        '/offContract: expected true or false, found "yes"',
      ],
      [
        "returns too many bytes",
        () => ({ status: 200, body: new Uint8Array(17 * 1024 * 1024), offContract: true }),
        "/body: expected at most 8388608 bytes",
      ],
    ])("the response is an error if the function %s", async (_what, respond, message) => {
      expect(await failure(respond)).toContain(message);
    });

    function fail(...thrown: unknown[]): never {
      throw thrown.length > 0 ? thrown[0] : new Error("no");
    }

    const circular: { self?: unknown } = {};
    circular.self = circular;

    test.each<[string, () => unknown, string]>([
      ["null", () => null, "expected an object with status, headers and body, a Response, or undefined, found null"],
      ["another member", () => ({ status: 200, boddy: {} }), '/boddy: unknown member. Did you mean "body"?'],
      ["no status", () => ({ body: {} }), "/status: expected a status of the operation (200, 400"],
      ["an undeclared status", () => ({ status: 418 }), "found 418. Set offContract to send any status."],
      [
        "a body of a wrong type",
        () => ({ status: 200, body: { cartId: 5 } }),
        "/body/cartId: expected string, found 5",
      ],
      ["text in a Response", () => new Response("<html>"), "/body: expected JSON"],
      ["a circular body", () => ({ status: 200, body: circular }), "/body: expected a JSON value: "],
      ["a header with a line break", () => ({ status: 200, headers: { "X-A": "a\r\nb" } }), "/headers/X-A: expected"],
      ["a header of the server", () => ({ status: 200, headers: { "Content-Length": 5 } }), "/headers/Content-Length"],
      [
        "another content type",
        () => ({ status: 200, headers: { "content-type": "text/html" } }),
        '/headers/content-type: expected application/json, found "text/html". Set offContract to send other content.',
      ],
    ])("if it returns %s", async (_what, respond, message) => {
      expect(await failure(respond)).toContain(message);
    });

    test("if it returns a Response whose body was read", async () => {
      const used = Response.json({});
      await used.text();
      expect(await failure(() => used)).toContain("/body: expected an unread body");
    });

    test("if it returns a body for HEAD", async () => {
      const project = newProject();
      handleOf(mock, project)("checkResourceExists", (() => ({ status: 200, body: {} })) as never);
      await expectBodiless(await mock.resource(project, "", { method: "HEAD" }), 500);
      expect((await lastDecisions(mock, project))?.at(-1)).toContain("function f-1: /body: expected no body");
    });
  },
);

onTransports("an off-contract function", { inOneProcess: "functions belong to a process" }, (mock) => {
  test.each<[string, (handle: AddFunction) => void]>([
    ["by its response", (handle) => handle("getCart", () => ({ status: 502, body: "<html>", offContract: true }))],
    ["by its option", (handle) => handle("getCart", () => ({ status: 502, body: "<html>" }), { offContract: true })],
    [
      "by its option, with a Response",
      (handle) => handle("getCart", () => new Response("<html>", { status: 502 }), { offContract: true }),
    ],
  ])("sends any response, with a label (%s)", async (_how, add) => {
    const project = newProject();
    add(handleOf(mock, project));
    const response = await mock.resource(project, cart);
    expect([response.status, await response.text()]).toEqual([502, "<html>"]);
    expect(response.headers.get("Mock-Off-Contract")).toBe("true");
    expect(response.headers.get("Content-Type")?.toLowerCase()).toMatch(/^text\/plain; ?charset=utf-8$/);
  });

  test("sends bytes, JSON and no body", async () => {
    const project = newProject();
    const handle = handleOf(mock, project);
    const bytesSent = new Uint8Array([0xff, 0, 1]);
    const bodies = [bytesSent, bytesSent.buffer, { any: [1] }, undefined];
    const responses = bodies.map((body) => ({ status: body ? 200 : 204, body, offContract: true }) as const);
    handle("getCart", () => responses.shift());
    for (const _ of ["a view", "a buffer"]) {
      const bytes = await mock.resource(project, cart);
      const [type, content] = [bytes.headers.get("Content-Type"), await bytes.bytes()];
      expect([type, ...content]).toEqual(["application/octet-stream", 0xff, 0, 1]);
    }
    const value = await mock.resource(project, cart);
    expect([value.headers.get("Content-Type"), await value.json()]).toEqual(["application/json", { any: [1] }]);
    await expectBodiless(await mock.resource(project, cart), 204);
  });
});

describe("a function that does not settle", () => {
  const mock = useMock("over a socket");

  function pending(project: string) {
    const { promise: called, resolve } = Promise.withResolvers<AbortSignal>();
    handleOf(mock, project)("getCart", ({ signal }: FunctionRequest<"getCart">) => {
      resolve(signal);
      return new Promise<undefined>(() => {});
    });
    return called;
  }

  test("ends with a reset of the project, and its signal aborts", async () => {
    const project = newProject();
    const called = pending(project);
    const response = mock.resource(project, cart);
    const signal = await called;
    expect(signal.aborted).toBe(false);
    await reset(mock, project);
    expect([(await response).status, signal.aborted]).toEqual([503, true]);
  });

  test("ends when the client disconnects", async () => {
    const project = newProject();
    const called = pending(project);
    const controller = new AbortController();
    const response = mock.resource(project, cart, { signal: controller.signal });
    const signal = await called;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    controller.abort();
    await expect(response).rejects.toThrow();
    await aborted;
  });

  test("ends when the mock stops", async () => {
    const project = newProject();
    const called = pending(project);
    const response = mock.resource(project, cart);
    await called;
    mock.engine.drain();
    expect((await response).status).toBe(503);
  });
});

describe("the arguments of handle", () => {
  const mock = useMock("in process");

  test.each<[string, string, unknown, string]>([
    ["an unknown operation", "getCarts", () => undefined, 'handle: unknown operation. Did you mean "getCart"?'],
    ["no function", "getCart", { status: 200 }, "handle: expected a function, found an object"],
  ])("reject %s", (_what, operation, respond, message) => {
    expect(() => handleOf(mock, newProject())(operation as "getCart", respond as never)).toThrow(message);
  });

  test("have the types of the operation", () => {
    const handle = handleOf(mock, newProject());
    handle("getResourceById", ({ path, body }, { resource }) => {
      expectTypeOf(path.id).toEqualTypeOf<string>();
      expectTypeOf(body).toEqualTypeOf<undefined>();
      return { status: 200, body: { version: resource?.version ?? 1, objectTypeProperty: {} } };
    });
    // @ts-expect-error: the version is a number
    handle("getResourceById", () => ({ status: 200, body: { version: "1", objectTypeProperty: {} } }));
    // @ts-expect-error: the operation does not declare the status
    handle("getResourceById", () => ({ status: 201 }));
    // @ts-expect-error: the operation has no such parameter
    handle("getResourceById", ({ path }) => path.key && undefined);
    handle("getResourceById", () => ({ status: 418, body: "teapot", offContract: true }));
  });
});
