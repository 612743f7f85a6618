import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCertificate, createKey } from "../../src/http/tls/certificates.ts";
import { loadIdentity } from "../../src/http/tls/index.ts";
import { FilesError } from "../../src/state/fixtures/files-error.ts";
import { folderOf } from "../setup/folder.ts";
import { isWindows } from "../setup/run.ts";

const DAY = 86_400_000;

/** Moves the clock by this number of days. */
function passDays(days: number): void {
  vi.useFakeTimers({ now: Date.now() + days * DAY, toFake: ["Date"] });
}
afterEach(() => {
  vi.useRealTimers();
});

function newFolder(): string {
  return join(folderOf({}), "tls");
}

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

function start(folder: string, names: readonly string[] = []) {
  return loadIdentity({ dir: folder, names }, "127.0.0.1");
}

test("creates a CA in a new folder", async () => {
  const folder = newFolder();
  const { caCertificate } = await start(folder);
  expect(contents(folder)).toEqual({ "ca.pem": caCertificate, "ca-key.pem": expect.stringContaining("PRIVATE KEY") });
});

test.skipIf(isWindows)(
  "creates a folder and a certificate for everyone, and a key that only this user can read",
  async () => {
    const folder = newFolder();
    await start(folder);
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    const umask = process.umask();
    expect(modeOf(folder)).toBe(0o777 & ~umask);
    expect(modeOf(join(folder, "ca.pem"))).toBe(0o666 & ~umask);
    expect(modeOf(join(folder, "ca-key.pem"))).toBe(0o600);
  },
);

test("signs the certificate of each start, for its names, with the same CA", async () => {
  const folder = newFolder();
  const first = await start(folder);
  const second = await start(folder, ["api.shop.test"]);
  expect(second.caCertificate).toBe(first.caCertificate);
  const certificate = new X509Certificate(second.cert);
  expect(certificate.subjectAltName).toContain("DNS:api.shop.test");
  expect(certificate.verify(new X509Certificate(first.caCertificate ?? "").publicKey)).toBe(true);
});

test.each(["before", "after"])("returns only the certificate of a ca.pem with a private key %s it", async (order) => {
  const folder = newFolder();
  const first = await start(folder);
  const files = ["ca-key.pem", "ca.pem"].map((name) => readFileSync(join(folder, name), "utf8"));
  writeFileSync(join(folder, "ca.pem"), (order === "before" ? files : files.reverse()).join("\n"));
  expect((await start(folder)).caCertificate).toBe(first.caCertificate);
});

test.each([
  ["keeps a CA that is valid for 31 days", 3650 - 1 - 31, false],
  ["renews a CA that is valid for less than 30 days, with the same key", 3650 - 1 - 29, true],
])("%s", async (_name, days, isRenewed) => {
  const folder = newFolder();
  const first = await start(folder);
  const { "ca-key.pem": key } = contents(folder);
  passDays(days);
  const second = await start(folder);
  expect(second.caCertificate !== first.caCertificate).toBe(isRenewed);
  expect(contents(folder)).toEqual({ "ca.pem": second.caCertificate, "ca-key.pem": key });
});

test("creates a missing ca.pem again, with the same key", async () => {
  const folder = newFolder();
  await start(folder);
  const { "ca-key.pem": key } = contents(folder);
  rmSync(join(folder, "ca.pem"));
  const second = await start(folder);
  expect(contents(folder)).toEqual({ "ca.pem": second.caCertificate, "ca-key.pem": key });
});

describe("rejects", () => {
  const filled = () => {
    const folder = newFolder();
    return start(folder).then(() => folder);
  };

  test.each([
    ["ca.pem", "", "expected a certificate as PEM, found an empty file"],
    ["ca.pem", "hello", "expected a certificate as PEM, found no PEM"],
    ["ca.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "found a damaged one"],
    [
      "ca-key.pem",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
      "found an encrypted key",
    ],
    ["ca-key.pem", createKey(), "expected the private key of"],
  ])("a %s with other content, without a change of the files", async (name, text, message) => {
    const folder = await filled();
    writeFileSync(join(folder, name), text);
    const before = contents(folder);
    const error: unknown = await start(folder).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FilesError);
    const { message: found } = error as FilesError;
    expect(found).toContain(message);
    expect(found).toContain("; delete the file, and the server creates a new one");
    expect(found).not.toContain("-----BEGIN");
    expect(contents(folder)).toEqual(before);
  });

  test("a certificate that is not one of a CA", async () => {
    const folder = await filled();
    const { "ca.pem": cert = "", "ca-key.pem": key = "" } = contents(folder);
    writeFileSync(join(folder, "ca.pem"), createCertificate({ cert, key }, key, ["localhost"]));
    await expect(start(folder)).rejects.toThrow("ca.pem: expected the certificate of a CA, found another");
  });

  test("a CA without its private key", async () => {
    const folder = await filled();
    rmSync(join(folder, "ca-key.pem"));
    await expect(start(folder)).rejects.toThrow(
      "ca-key.pem: expected the private key of ca.pem, found no file; delete ca.pem, and the server creates a new CA",
    );
  });

  test("a path that is not a folder, or whose parent is missing", async () => {
    const folder = folderOf({ file: "text" });
    // Windows finds no file below a file.
    const problem = isWindows ? "file that this user may write, found ENOENT" : "readable file, found ENOTDIR";
    await expect(start(join(folder, "file"))).rejects.toThrow(`expected a ${problem}`);
    await expect(start(join(folder, "a/b"))).rejects.toThrow(
      "expected a folder that this user may write to, found ENOENT",
    );
  });
});
