// @module-tag process
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { RequestEntry } from "../../src/control/client/types.ts";
import { curlOf, variablesOf } from "../../src/page/dashboard/request/copies.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { sendRaw } from "../setup/raw-socket.ts";
import { run } from "../setup/run.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** Returns the bytes of a request. An HTTP client would change some of its headers. */
function requestOf(method: string, target: string, headers: readonly string[], body: string | Uint8Array = "") {
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : [];
  const head = [`${method} ${target} HTTP/1.1`, "Host: mock", "Connection: close", ...headers, ...length].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
}

const json = "Content-Type: application/json";
const gif = "Content-Type: image/gif";
const read =
  (path: string, headers: string[] = [], method = "GET") =>
  (project: string) =>
    requestOf(method, `/${project}/resource${path}`, headers);
const write =
  (body: string | Uint8Array, path = "", headers = [json]) =>
  (project: string) =>
    requestOf("POST", `/${project}/resource${path}`, headers, body);
const everyMark = "'\"`$HOME $(id) \\ ! & | ; < > * ? # ~ % {a,b} [1-3] ( ) é 😀";

describe.skipIf(!hasCurl)("the curl command repeats a request", () => {
  const mock = useMock("over a socket");

  test.each<[string, (project: string) => Buffer]>([
    ["a header", read("/a", ["Accept: application/json"])],
    ["brackets and braces", read("/a[1-3]{b,c}?filter=[1-3]&{x}={y,z}&q=%5B%5D")],
    ["quotes and ampersands", read(`/it's"$a&b;c|d?x='"&y=$HOME&z=a+b%26`)],
    ["encoded marks", read(`/${encodeURIComponent(everyMark)}?q=${encodeURIComponent(everyMark)}`)],
    ["dots in the path", read("/..a...b..")],
    ["repeated and empty query parameters", read("?b=2&a=1&a=&flag=&a=3")],
    ["headers without a value", read("/a", ["X-Empty:", "X-Marks: '\";,@ $HOME {a}"])],
    ["HEAD", read("", [], "HEAD")],
    ["DELETE", read("/a", [], "DELETE")],
    ["a JSON body", write(JSON.stringify({ objectTypeProperty: {}, everyMark }))],
    ["a body that starts with @", write("@/etc/hostname")],
    ["a body of several lines", write(`first's\n\n"second"\\n\n${everyMark}\n`)],
    ["control characters", write("a\tb\r\nc\u0000d\u001b[0m é 😀")],
    ["a long body", write("é'".repeat(20_000))],
    ["JSON that grows when it is serialized again", write(`[${"1e20,".repeat(2900)}1]`)],
    ["a body without a content type", write("a=b&c=d", "", [])],
    ["an image", write(Buffer.from("GIF89a\0\xff\xfe\r\n", "latin1"), "/images?filename=a%20b'.gif", [gif])],
  ])("with %s", async (_name, requestIn) => {
    const project = newProject();
    const newest = async () => {
      const { body } = await inProject<{ requests: RequestEntry[]; total: number }>(mock, project, "GET", "/requests");
      return { total: body.total, entry: body.requests[0] };
    };
    await sendRaw(mock.url, requestIn(project));
    const { entry: first } = await newest();

    const command = first && curlOf(first, mock.url ?? "");
    // The shell reads the command from its input, as a user pastes it. An argument of `sh` has a length limit.
    const shell = spawn("sh", { stdio: ["pipe", "ignore", "inherit"] });
    shell.stdin.end(`${command} --silent --max-time 10\n`);
    expect(await once(shell, "close")).toEqual([0, null]);

    const { entry: second, total } = await newest();
    expect(total).toBe(2);
    const comparable = (entry: RequestEntry | undefined) => {
      const {
        host,
        connection,
        "user-agent": agent,
        "content-length": length,
        ...headers
      } = entry?.request.headers ?? {};
      const { bytes, ...body } = entry?.request.body ?? {};
      return { ...entry?.request, headers, body };
    };
    expect(comparable(second)).toEqual(comparable(first));
  });

  test("credentials come from environment variables", async () => {
    const project = newProject();
    const { body } = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", {});
    await inProject(mock, project, "PATCH", "/settings", { auth: "strict" });
    const headers = { Authorization: `Bearer ${body.access_token}`, Cookie: "a=b", "X-Api-Key": "$HOME" };
    expect((await mock.resource(project, "/my-id", { headers })).status).toBe(200);
    const newest = async () => {
      const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests?limit=1");
      return body.requests[0] as RequestEntry;
    };
    const first = await newest();

    const command = curlOf(first, mock.url ?? "");
    expect(command).toContain(`-H "Authorization: Bearer $TOKEN"`);
    expect(variablesOf(first).sort()).toEqual(["COOKIE", "TOKEN", "X_API_KEY"]);
    const env = { ...process.env, TOKEN: body.access_token, COOKIE: "c=d", X_API_KEY: "e" };
    await run("sh", ["-c", `${command} --silent`], undefined, env);
    const second = await newest();
    expect(second.id).not.toBe(first.id);
    expect(second.response).toEqual(first.response);
    expect(second.request.headers).toMatchObject({ cookie: "[redacted]", "x-api-key": "[redacted]" });
  });
});
