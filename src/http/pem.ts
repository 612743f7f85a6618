import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { FilesError } from "../state/index.ts";

/** A certificate and its private key, both as PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export function invalid(file: string, message: string): FilesError {
  return new FilesError([{ file, pointer: "", message }]);
}

/** Returns the text of a file, or undefined if the file does not exist. Throws FilesError if it cannot be read. */
export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw invalid(file, `expected a readable file, found ${code ?? message}`);
  }
}

async function readExisting(file: string): Promise<string> {
  const text = await readIfExists(file);
  if (text === undefined) throw invalid(file, "expected a PEM file, found no file");
  return text;
}

/** Returns the first certificate of a PEM text. Throws FilesError. */
export function certificateIn(file: string, text: string, hint = ""): X509Certificate {
  const problem = `a certificate as PEM, found ${foundIn(text, "CERTIFICATE")}${hint}`;
  return parsed(() => new X509Certificate(text), file, problem);
}

/** Returns the private key of a PEM text. Throws FilesError. */
export function privateKeyIn(file: string, text: string, hint = ""): KeyObject {
  const expected = "a private key as PEM without a passphrase";
  return parsed(() => createPrivateKey(text), file, `${expected}, found ${foundIn(text, "PRIVATE KEY")}${hint}`);
}

function parsed<Value>(parse: () => Value, file: string, problem: string): Value {
  try {
    return parse();
  } catch {
    throw invalid(file, `expected ${problem}`);
  }
}

/** Throws FilesError if the private key is not that of the certificate. */
export function checkPair(certFile: string, cert: X509Certificate, keyFile: string, key: KeyObject, hint = ""): void {
  if (!cert.checkPrivateKey(key))
    throw invalid(keyFile, `expected the private key of ${certFile}, found another key${hint}`);
}

/** Returns the certificate, with the chain in its file, and its private key. Throws FilesError. */
export async function readOwnPair(certFile: string, keyFile: string): Promise<Pair> {
  // One after the other: if both files are missing, the error always names the certificate.
  const cert = await readExisting(certFile);
  const key = await readExisting(keyFile);
  checkPair(certFile, certificateIn(certFile, cert), keyFile, privateKeyIn(keyFile, key));
  try {
    createSecureContext({ cert, key, minVersion: "TLSv1.2" });
  } catch (error) {
    throw invalid(certFile, `expected a certificate that OpenSSL accepts, found: ${(error as Error).message}`);
  }
  return { cert, key };
}

/** Returns the certificates of a file as PEM. Throws FilesError if it has none or an invalid one. */
export async function readCertificates(file: string): Promise<string> {
  const text = await readExisting(file);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [text];
  for (const block of blocks) certificateIn(file, block);
  return blocks.join("\n");
}

/** Returns what a file has instead of valid PEM with this label. Never the text, which can be a private key. */
function foundIn(text: string, expected: string): string {
  if (text.trim() === "") return "an empty file";
  const label = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(text)?.[1];
  if (label === undefined) return "no PEM";
  if (text.includes("ENCRYPTED")) return "an encrypted key";
  return label.endsWith(expected) ? "a damaged one" : `PEM of a ${label}`;
}
