// @module-tag slow
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Result } from "../../src/tools/compare/comparison-report.ts";
import { createSecrets } from "../../src/tools/compare/credentials.ts";
import { CannotStart } from "../../src/tools/compare/index.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { useMock } from "../setup/mock.ts";
import { compareAt, forwardTo, heldTimes, httpUpstream, tcpUpstream } from "./upstreams.ts";

/** Returns the names of the checks that report a deviation. */
function reported(results: readonly Result[]): string[] {
  return results.filter(({ outcome }) => outcome === "fail" || outcome === "differs").map(({ name }) => name);
}

const late = "every operation: every response arrives within the time limit";
const broken = "every operation: every response arrives whole";

describe("an upstream that is no service", () => {
  test("an upstream that never responds fails one check, and gets only a few requests", async () => {
    let requests = 0;
    const { startTimer, end } = heldTimes();
    const url = await httpUpstream(() => {
      requests++;
      end();
    });
    const { results } = await compareAt(url, { startTimer });
    expect(reported(results)).toEqual([late]);
    expect(results.find(({ name }) => name === late)?.seen).toContain("no complete response within 60000 ms");
    expect(requests).toBeLessThan(20);
  });

  test.each([
    ["is not HTTP", (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
    ["closes each connection", (socket: Socket) => socket.once("data", () => socket.destroy())],
  ])("an upstream that %s fails one check", async (_name, onSocket) => {
    const { results } = await compareAt(await tcpUpstream(onSocket));
    expect(reported(results)).toEqual([broken]);
  });

  test("an upstream with endless bodies fails one check", async () => {
    const url = await httpUpstream((_request, response) => {
      const write = () => {
        while (response.write(Buffer.alloc(1024 * 1024, " ")));
      };
      response.writeHead(200, { "Content-Type": "application/json" }).on("drain", write);
      write();
    });
    const { results } = await compareAt(url, { only: ["getCart"] });
    expect(reported(results)).toEqual([broken]);
    expect(results.find(({ name }) => name === broken)?.seen).toContain("larger than 33554432 bytes");
  });

  test("a login page as upstream fails the check of the media type of each operation, and no other check", async () => {
    const url = await httpUpstream((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Log in</html>");
    });
    const { results } = await compareAt(url);
    const names = reported(results);
    expect(names).toHaveLength(9);
    expect(names.filter((name) => !name.endsWith(": a success has a documented media type"))).toEqual([]);
  });

  test("an upstream that always returns 503 fails the check of each operation that needs no resource", async () => {
    const error = { statusCode: 503, message: "Down", errors: [{ code: "ServiceUnavailable", message: "Down" }] };
    const url = await httpUpstream((request, response) => {
      request.resume();
      response.writeHead(503, { "Content-Type": "application/json" }).end(JSON.stringify(error));
    });
    const { results, leftOver } = await compareAt(url);
    const failed = results.filter(({ outcome }) => outcome === "fail").map(({ name }) => name);
    expect(failed).not.toEqual([]);
    expect(failed.filter((name) => !/: a valid request succeeds$/.test(name))).toEqual([]);
    expect(leftOver).toEqual([]);
  });

  test("an unreachable upstream stops the run before its start", async () => {
    await expect(compareAt("http://127.0.0.1:1")).rejects.toThrow(CannotStart);
    await expect(compareAt("http://127.0.0.1:1")).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:1 is unreachable: .*ECONNREFUSED/,
    );
  });
});

describe("a service", () => {
  const mock = useMock("over a socket");
  const only = ["updateResource", "checkResourceExists"];
  const total = async (project: string) => {
    const response = await mock.fetch(`/__admin/projects/${project}/resources`);
    return ((await response.json()) as { total: number }).total;
  };

  test("if a service dies in the middle, the run ends and reports the missing responses", async () => {
    let requests = 0;
    const forward = forwardTo(mock.url ?? "");
    const url = await httpUpstream((request, response) => {
      if (++requests > 40) request.socket.destroy();
      else forward(request, response);
    });
    const { results, leftOver, report } = await compareAt(url, { project: "dies" });
    expect(reported(results)).toEqual([broken]);
    expect(report.summary.skipped).toBeGreaterThan(200);
    expect(leftOver.length).toBeGreaterThan(0);
  });

  test("a service that redirects gets no request at the other address", async () => {
    const url = await httpUpstream((request, response) => {
      request.resume();
      response.writeHead(307, { Location: `${mock.url}/redirected/resource` }).end();
    });
    await compareAt(url, { project: "redirected" });
    const response = await mock.fetch("/__admin/projects/redirected/requests");
    expect(await response.json()).toMatchObject({ total: 0 });
  });

  test("below a path, with compressed bodies and a rate limit passes", async () => {
    const forward = forwardTo(mock.url ?? "");
    let requests = 0;
    const url = await httpUpstream((request, response) => {
      expect(request.url).toMatch(/^\/v1\//);
      request.url = request.url?.slice("/v1".length);
      if (++requests % 10 === 0) {
        request.resume();
        response.writeHead(429, { "Retry-After": "0" }).end();
      } else if (request.headers["accept-encoding"] === "identity") forward(request, response);
      else response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("{}"));
    });
    const { results } = await compareAt(`${url}/v1/`, { project: "below", only });
    expect(reported(results)).toEqual([]);
    expect(requests).toBeGreaterThan(50);
  });

  test("a service that requires a long wait does not delay an interruption", { timeout: 20_000 }, async () => {
    const stop = new AbortController();
    const url = await httpUpstream((request, response) => {
      request.resume();
      response.writeHead(429, { "Retry-After": "30" }).end(() => setImmediate(() => stop.abort()));
    });
    const { results } = await compareAt(url, { project: "waiting", readOnly: true, signal: stop.signal });
    expect(results.map(({ why }) => why)).toContain("interrupted");
  });

  test("whose token endpoint stops issuing tokens ends the run with skipped checks", async () => {
    const forward = forwardTo(mock.url ?? "");
    let tokens = 0;
    const url = await httpUpstream((request, response) => {
      if (request.url !== "/token") return forward(request, response);
      request.resume();
      const issued = { access_token: "a-foreign-token", token_type: "Bearer" };
      if (++tokens > 1) response.writeHead(503).end();
      else response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(issued));
    });
    const credentials = { client: { id: "ci", secret: "secret" }, tokenUrl: new URL(`${url}/token`) };
    const { results } = await compareAt(url, { project: "tokens", credentials, only: ["searchResources"] });
    expect(results.find(({ name }) => name === "searchResources: the scope view_test is enough")).toMatchObject({
      outcome: "skipped",
      why: "needs a token with the scope view_test; the token endpoint: expected 200 with access_token, found 503",
    });
  });

  test("if the deletions of a service fail, the run repeats them and lists the remaining resources", async () => {
    const forward = forwardTo(mock.url ?? "");
    let failures = 1;
    const failed = new Map<string | undefined, number>();
    const url = await httpUpstream((request, response) => {
      const count = failed.get(request.url) ?? 0;
      if (request.method !== "DELETE" || count >= failures) return forward(request, response);
      failed.set(request.url, count + 1);
      response.writeHead(500, { "Content-Type": "application/json" }).end("{}");
    });
    const before = await total("deletions");
    const once = await compareAt(url, { project: "deletions", only: ["createResource"] });
    expect([once.leftOver, await total("deletions")]).toEqual([[], before]);
    failures = Number.POSITIVE_INFINITY;
    const { leftOver } = await compareAt(url, { project: "deletions", only: ["createResource"] });
    expect(leftOver).toHaveLength((await total("deletions")) - before);
    expect(leftOver[0]).toMatch(/^DELETE \/deletions\/resource\/[\w-]+ returned 500/);
  });
});

describe("secrets", () => {
  /** A service that returns the credentials of each request in every place. */
  const echo = () =>
    httpUpstream((request, response) => {
      const sent = request.headers.authorization ?? "";
      const decoded = Buffer.from(sent.replace("Basic ", ""), "base64").toString();
      const body = {
        version: sent,
        message: `${sent} ${decoded} ${encodeURIComponent(sent)}`,
        error: `${sent} ${decodeURIComponent(decoded.includes("%zz") ? "" : decoded)}`,
        errors: [{ code: sent, message: decoded, field: decoded }],
        [sent]: 1,
        objectTypeProperty: sent,
        results: [{ version: sent }],
        sum: decoded,
        lineItems: [{ [`x ${sent}`]: sent, count: sent }],
        access_token: request.url === "/token" ? "issued-token-0123456789-0123456789-0123456789-0123456789" : undefined,
        token_type: sent,
        scope: decoded,
      };
      request.resume();
      const status = request.method === "POST" && request.url !== "/token" ? 400 : 200;
      response
        .writeHead(status, {
          "Content-Type": `application/json; echo="${encodeURIComponent(sent)}"`,
          Location: `/demo/resource/${encodeURIComponent(sent)}`,
          "WWW-Authenticate": sent,
          Allow: sent,
        })
        .end(JSON.stringify(body));
    });

  const secret = `S3cr%et"tok/en+${"very-long-".repeat(8)}`;
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64"),
    Buffer.from(`shop:${encodeURIComponent(secret)}`).toString("base64"),
    "issued-token-0123456789",
    "very-long-very",
  ];

  test.each([
    ["a token", () => ["--token", secret]],
    ["a client", (url: string) => ["--client", `shop:${secret}`, "--token-url", `${url}/token`]],
  ])(
    "the secrets of %s do not appear in the output and in reports, even if the service returns the secrets",
    async (_name, flags) => {
      const url = await echo();
      const folder = folderOf({});
      const files = ["report.json", "report.xml"].map((file) => join(folder, file));
      const [report = "", junit = ""] = files;
      const { code, stdout, stderr } = await commandHere([
        ...["compare", "--upstream", url, "--project", "demo", "--log", "--report", report, "--junit", junit],
        ...flags(url),
      ]);
      expect(code).toBe(1);
      const texts = [stdout, stderr, readFileSync(report, "utf8"), readFileSync(junit, "utf8")];
      expect(texts[0]).toContain("[redacted]");
      for (const text of texts) for (const form of forms) expect(text).not.toContain(form);
    },
  );

  test("short secrets are replaced as whole words only", () => {
    const secrets = createSecrets({ client: { id: "c", secret: "s.1" }, tokenUrl: new URL("http://a.test/token") });
    secrets.add("res");
    expect(secrets.redact('POST /res/resources: "s.1", (s.1) xs.1 s.12 sx1 res')).toBe(
      'POST /[redacted]/resources: "[redacted]", ([redacted]) xs.1 s.12 sx1 [redacted]',
    );
  });

  test("the secrets of HTTP Basic do not appear without the user", () => {
    const secrets = createSecrets({ token: "ann:hunter2:x" });
    expect(secrets.redact("ann:hunter2:x hunter2:x ann")).toBe("[redacted] [redacted] ann");
  });

  test("do not appear in the error of a token endpoint", async () => {
    const url = await httpUpstream((request, response) => {
      request.resume();
      response.writeHead(400, { "Content-Type": "application/json" }).end(JSON.stringify({ error: `no ${secret}` }));
    });
    const flags = ["--client", `shop:${secret}`, "--token-url", `${url}/token`];
    const { code, stderr } = await commandHere(["compare", "--upstream", url, "--project", "demo", ...flags]);
    expect([code, stderr]).toEqual([
      2,
      "resource-mock: --upstream: the token endpoint: expected 200 with access_token, found 400: no [redacted]\n",
    ]);
  });
});
