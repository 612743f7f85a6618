import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { writeInto } from "../setup/folder.ts";
import { json } from "../setup/mock.ts";
import { sendRaw } from "../setup/raw-socket.ts";
import { image } from "../setup/requests.ts";
import { repository } from "../setup/run.ts";

/**
 * The text of files next to the served folders. These files have the format of fixtures and scenarios. No response may
 * contain it.
 */
const SECRET = "kept-beside-the-folders";

let folder: string;
let mock: StartedResourceMock;
let before: string[];

const files = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "resource-mock-test-"));
  const cart = { ...JSON.parse(readFileSync(`${repository}fixtures/getCart/200.json`, "utf8")), SECRET };
  const scenario = (message: string) => ({
    description: message,
    rules: [{ respond: { status: 500, body: { statusCode: 500, message, errors: [{ code: "General", message }] } } }],
  });
  mkdirSync(join(folder, "scenarios"));
  writeInto(folder, "fixtures/getCart/200.own.json", { ...cart, SECRET: "own" });
  writeInto(folder, "scenarios/own.json", scenario("own"));
  for (const path of ["outside", "outside.json", "200.outside.json"]) writeInto(folder, path, cart);
  writeInto(folder, "outside.html", SECRET);
  writeInto(folder, "secret.json", scenario(SECRET));
  before = files();
  mock = await startResourceMock({ fixtures: join(folder, "fixtures"), scenarios: join(folder, "scenarios") });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await mock.close();
});

/** Spellings of `..` and `/` in a request path. */
const ups = [
  "..",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "%c0%ae%c0%ae",
  "%e0%80%ae.",
  "%ef%bc%8e%ef%bc%8e",
  "....",
  "..;",
];
const slashes = ["/", "%2f", "%5c", "\\", "%252f", "%c0%af", "%ef%bc%8f", "//", "%2f%00"];
const ends = ["outside", "outside.json", "secret", "secret.json", "200.outside", "outside.html", "outside%00.json"];

const climbing = ups.flatMap((up) =>
  slashes.map((slash, index) => `${up}${slash}${up}${slash}${ends[index % ends.length]}`),
);
const others = [
  ...ends.map((end) => `..%2f${end}`),
  ...ends.map((end) => `..%2f..%2f${end}`),
  "%2fetc%2fpasswd",
  "/etc/passwd",
  "..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
  "file:%2f%2f%2fetc%2fpasswd",
  "C:%5cWindows%5cwin.ini",
  "%5c%5cserver%5cshare",
  "~%2fsecret",
  "own%2f..%2f..%2fsecret",
  ".%2fown%00",
  "%00",
  "%",
  "%2",
];
const names = [...climbing, ...others];

/** Returns the decoded name, for a header or a body. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function expectNoFileContents(response: string): void {
  expect(response).not.toContain(SECRET);
  expect(response).not.toMatch(/root:[x*]:|"dependencies"/);
}

/** Sends a request with the target unchanged. The URL class would normalize the target. */
async function raw(method: string, target: string, ...headers: string[]): Promise<string> {
  const lines = [`${method} ${target} HTTP/1.1`, "Host: mock", "Content-Length: 0", "Connection: close", ...headers];
  const response = await sendRaw(mock.url, Buffer.from([...lines, "", ""].join("\r\n")));
  expectNoFileContents(response);
  return response;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(`${mock.url}${path}`, init);
  expectNoFileContents(await response.clone().text());
  return response;
}

const clientError = /^HTTP\/1\.1 4\d\d /;

test("files in the served folders are found by name", async () => {
  expect(await raw("GET", "/p/resource/namespace-action-with-example", "Prefer: example=own")).toMatch(
    /"SECRET":"own"/,
  );
  expect((await send("/p/resource", { headers: { Prefer: "scenario=own" } })).status).toBe(500);
  expect(await raw("PUT", "/__admin/projects/on/scenarios/own")).toMatch(/^HTTP\/1\.1 200 /);
});

describe("files outside the served folders are not read", () => {
  test("through the names of scenarios", async () => {
    for (const name of names) {
      expect(await raw("PUT", `/__admin/projects/p/scenarios/${name}`)).toMatch(clientError);
      expect(await raw("PUT", `/__admin/scenarios/${name}`)).toMatch(clientError);
    }
  });

  test("through paths of the dashboard, the control API or the service", async () => {
    for (const name of names) {
      for (const path of [`/__admin/ui/${name}`, `/__admin/${name}`, `/${name}`, `/p/${name}`]) {
        expect(await raw("GET", path)).toMatch(clientError);
      }
      // An id can be any text, so the resource is created from the fixture.
      expect(await raw("GET", `/p/resource/${name}`)).not.toMatch(/^HTTP\/1\.1 5/);
    }
  });

  test("through a Prefer header", async () => {
    for (const name of names) {
      const value = decoded(name).replace(/["\\]/g, "\\$&");
      if (/[\0\r\n]/.test(value)) continue;
      for (const prefer of [`example="${value}"`, `scenario="${value}"`]) {
        const response = await raw("GET", "/p/resource/namespace-action-with-example", `Prefer: ${prefer}`);
        expect(response).toMatch(clientError);
      }
    }
  });

  test("through the fixture of a rule, a provider state or the source project of a fork", async () => {
    for (const name of names.map(decoded)) {
      const rule = { operation: "getCart", respond: { status: 200, fixture: name } };
      expect((await send("/__admin/projects/p/rules", json("POST", rule))).status).toBe(400);
      expect((await send("/__admin/provider-states", json("POST", { state: name }))).status).toBe(404);
      expect((await send("/__admin/projects/p/state", json("PUT", { from: name }))).status).toBe(400);
    }
  });

  test("and not written, with any names in requests", async () => {
    const rules = [{ operation: "getCart", respond: { status: 500 } }];
    for (const name of names.map(decoded).filter((each) => each.length <= 100)) {
      const encoded = encodeURIComponent(name);
      await send(`/__admin/projects/written/scenarios/${encoded}`, json("PUT", { description: "x", rules }));
      await send("/__admin/projects/written/snapshots", json("POST", { name }));
      await send(`/written/resource/images?filename=${encoded}`, image("image/png"));
      await send(`/${encoded}/resource`, json("POST", { objectTypeProperty: {} }));
    }
    expect(files()).toEqual(before);
  });
});
