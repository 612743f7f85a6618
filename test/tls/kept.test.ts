import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCa, createKey, namesIn } from "../../src/http/tls/certificates.ts";
import { keptIdentity } from "../../src/http/tls/kept.ts";
import { FilesError } from "../../src/state/fixtures/file-problem.ts";
import { folderOf } from "../setup/folder.ts";

const names = ["localhost", "127.0.0.1"];
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

test("creates a CA and a certificate in files that only this user can read", async () => {
  const folder = newFolder();
  const { cert, key, caCertificate } = await keptIdentity(folder, names);
  expect(contents(folder)).toEqual({
    "ca.pem": caCertificate,
    "ca-key.pem": expect.stringContaining("PRIVATE KEY"),
    "cert.pem": cert,
    "key.pem": key,
  });
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("uses the files again, also for fewer names", async () => {
  const folder = newFolder();
  const first = await keptIdentity(folder, names);
  expect(await keptIdentity(folder, names)).toEqual(first);
  expect(await keptIdentity(folder, ["localhost"])).toEqual(first);
});

test.each(["before", "after"])("returns only the certificate of a ca.pem with a private key %s it", async (order) => {
  const folder = newFolder();
  const first = await keptIdentity(folder, names);
  const files = ["ca-key.pem", "ca.pem"].map((name) => readFileSync(join(folder, name), "utf8"));
  writeFileSync(join(folder, "ca.pem"), (order === "before" ? files : files.reverse()).join("\n"));
  expect(await keptIdentity(folder, names)).toEqual(first);
});

test("keeps the CA and the keys when a name is missing in the certificate", async () => {
  const folder = newFolder();
  const first = await keptIdentity(folder, names);
  const before = contents(folder);
  const second = await keptIdentity(folder, [...names, "api.shop.test"]);
  expect(namesIn(second.cert)).toEqual([...names, "api.shop.test"]);
  expect(second).toMatchObject({ key: first.key, caCertificate: first.caCertificate });
  expect(contents(folder)).toEqual({ ...before, "cert.pem": second.cert });
});

test.each([
  ["does not renew a certificate that is valid for 31 days", 397 - 1 - 31, false],
  ["renews a certificate that is valid for less than 30 days", 397 - 1 - 29, true],
  ["renews an expired certificate", 400, true],
])("%s", async (_name, days, isRenewed) => {
  const folder = newFolder();
  const first = await keptIdentity(folder, names);
  passDays(days);
  const second = await keptIdentity(folder, names);
  expect(second.cert !== first.cert).toBe(isRenewed);
  expect(second.caCertificate).toBe(first.caCertificate);
});

test("renews an expired CA with the same key, so that the certificate stays valid for both", async () => {
  const folder = newFolder();
  const first = await keptIdentity(folder, names);
  const caKey = readFileSync(join(folder, "ca-key.pem"), "utf8");
  passDays(3650);
  const second = await keptIdentity(folder, names);
  expect(second.caCertificate).not.toBe(first.caCertificate);
  expect(readFileSync(join(folder, "ca-key.pem"), "utf8")).toBe(caKey);
});

test("creates missing files again", async () => {
  for (const missing of ["cert.pem", "key.pem", "ca.pem"]) {
    const folder = newFolder();
    await keptIdentity(folder, names);
    rmSync(join(folder, missing));
    await keptIdentity(folder, names);
    expect(existsSync(join(folder, missing))).toBe(true);
    // The files are valid together.
    const third = await keptIdentity(folder, names);
    expect(contents(folder)).toMatchObject({ "cert.pem": third.cert, "key.pem": third.key });
  }
});

test("replaces a certificate of another CA", async () => {
  const [folder, other] = [newFolder(), newFolder()];
  await keptIdentity(folder, names);
  const first = await keptIdentity(other, names);
  for (const name of ["cert.pem", "key.pem"]) writeFileSync(join(folder, name), readFileSync(join(other, name)));
  const second = await keptIdentity(folder, names);
  expect([second.key, second.cert]).toEqual([first.key, expect.not.stringContaining(first.cert)]);
});

test("needs no key of the CA until the certificate needs renewal", async () => {
  const folder = newFolder();
  const first = await keptIdentity(folder, names);
  rmSync(join(folder, "ca-key.pem"));
  expect(await keptIdentity(folder, names)).toEqual(first);
  await expect(keptIdentity(folder, ["api.shop.test"])).rejects.toThrow(
    "ca-key.pem: expected the private key of ca.pem to sign a new certificate, because cert.pem is not valid for api.shop.test, found no file; delete ca.pem, and the server creates a new CA",
  );
});

describe("rejects", () => {
  const filled = () => {
    const folder = newFolder();
    return keptIdentity(folder, names).then(() => folder);
  };

  test.each([
    ["ca.pem", "", "expected a certificate as PEM, found an empty file"],
    ["ca.pem", "hello", "expected a certificate as PEM, found no PEM"],
    ["cert.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "found a damaged one"],
    ["key.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "found a damaged one"],
    [
      "ca-key.pem",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
      "found an encrypted key",
    ],
    ["key.pem", createKey(), "expected the private key of"],
    ["ca-key.pem", createKey(), "expected the private key of"],
    ["cert.pem", createCa(createKey(), { days: 1 }), "key.pem: expected the private key of"],
  ])("a %s with other content, without a change of the files", async (name, text, message) => {
    const folder = await filled();
    writeFileSync(join(folder, name), text);
    const before = contents(folder);
    const error: unknown = await keptIdentity(folder, [...names, "new.test"]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FilesError);
    const { message: found } = error as FilesError;
    expect(found).toContain(message);
    expect(found).toContain("; delete the file, and the server creates a new one");
    expect(found).not.toContain("-----BEGIN");
    expect(contents(folder)).toEqual(before);
  });

  test("a certificate that is not one of a CA", async () => {
    const folder = await filled();
    for (const [from, to] of [
      ["cert.pem", "ca.pem"],
      ["key.pem", "ca-key.pem"],
    ] as const)
      writeFileSync(join(folder, to), readFileSync(join(folder, from)));
    await expect(keptIdentity(folder, names)).rejects.toThrow(
      "ca.pem: expected the certificate of a CA, found another",
    );
  });

  test("a path that is not a folder, or whose parent is missing", async () => {
    const folder = folderOf({ file: "text" });
    await expect(keptIdentity(join(folder, "file"), names)).rejects.toThrow("expected a readable file, found ENOTDIR");
    await expect(keptIdentity(join(folder, "a/b"), names)).rejects.toThrow(
      "expected a folder that this user may write to, found ENOENT",
    );
  });
});
