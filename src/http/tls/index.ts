import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isCertificateName } from "../../contract/index.ts";
import type { HttpsIdentity } from "../https.ts";
import {
  certificateIn,
  checkPair,
  invalid,
  type Pair,
  privateKeyIn,
  readCertificates,
  readIfExists,
  readOwnPair,
} from "../pem.ts";

/** The certificate of HTTPS. By default, the mock creates a CA and a certificate. */
export interface TlsOptions {
  /** Host names and IP addresses of the created certificate, besides those of this machine. */
  names?: readonly string[];
  /** The folder that keeps the created CA. The next start uses it again. */
  dir?: string;
  /** The path of your own certificate as PEM, with its chain. Needs `key`. */
  cert?: string;
  /** The path of the private key of `cert` as PEM. */
  key?: string;
  /** The path of a CA as PEM. The mock then requires client certificates that this CA has signed. */
  clientCa?: string;
}

export interface Identity extends HttpsIdentity {
  /** The CA that signed a created certificate, as PEM. */
  readonly caCertificate?: string;
}

/**
 * Returns the certificate of the server: the own one, or a new one of the kept CA or of a new CA. A created certificate is
 * valid for this machine, for the address that the server listens on, and for `names`. Throws FilesError for an invalid
 * file.
 */
export async function loadIdentity(options: TlsOptions, host: string): Promise<Identity> {
  const { dir, cert, key, clientCa: clientCaFile } = options;
  const clientCa = clientCaFile === undefined ? undefined : await readCertificates(clientCaFile);
  if (cert !== undefined && key !== undefined) return { ...(await readOwnPair(cert, key)), clientCa };
  const { createCa, createCertificate, createKey } = await import("./certificates.ts");
  const ca = dir === undefined ? createCa(createKey()) : await keptCa(dir);
  const own = createKey();
  const created = createCertificate(ca, own, namesOf(options.names ?? [], host));
  // The private key of a CA in no folder is not kept, so nobody can sign another certificate.
  return { key: own, cert: created, caCertificate: ca.cert, clientCa };
}

/** The CA is renewed when it is valid for less than this time, in milliseconds. */
const RENEWAL_MS = 30 * 86_400_000;

const HINT = "; delete the file, and the server creates a new one";

/**
 * Returns the CA in a folder. Creates it if it is missing, and renews it with the same key if it expires. Throws FilesError
 * for an invalid file.
 */
async function keptCa(folder: string): Promise<Pair> {
  const { createCa, createKey } = await import("./certificates.ts");
  await mkdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== "EEXIST") throw invalid(folder, `expected a folder that this user may write to, found ${code}`);
  });
  const [certFile, keyFile] = [join(folder, "ca.pem"), join(folder, "ca-key.pem")];
  const [certText, keyText] = [await readIfExists(certFile), await readIfExists(keyFile)];
  const cert = certText === undefined ? undefined : certificateIn(certFile, certText, HINT);
  const key = keyText === undefined ? undefined : privateKeyIn(keyFile, keyText, HINT);
  if (cert?.ca === false) throw invalid(certFile, `expected the certificate of a CA, found another certificate${HINT}`);
  if (cert && !key) {
    const hint = "delete ca.pem, and the server creates a new CA";
    throw invalid(keyFile, `expected the private key of ca.pem, found no file; ${hint}`);
  }
  if (cert && key) checkPair(certFile, cert, keyFile, key, HINT);
  if (key && key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    const found = `another ${key.asymmetricKeyType} key`;
    throw invalid(keyFile, `expected a private key on the curve P-256, found ${found}${HINT}`);
  }
  const pem = keyText ?? (await write(keyFile, createKey(), 0o600));
  // The control API serves the certificate to everyone. A file can contain a private key after it.
  const isValid =
    cert && Date.parse(cert.validFrom) <= Date.now() && Date.parse(cert.validTo) - Date.now() >= RENEWAL_MS;
  if (isValid) return { cert: cert.toString(), key: pem };
  const created = createCa(pem);
  await write(certFile, created.cert, 0o666);
  return created;
}

/** Writes a file with this mode. A crash leaves the old file or the new one. Returns the text. */
async function write(file: string, text: string, mode: number): Promise<string> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw invalid(file, `expected a file that this user may write, found ${(error as NodeJS.ErrnoException).code}`);
  }
  return text;
}

const everyAddress = ["0.0.0.0", "::"];

/** Returns all names of the certificate, each once, as certificates spell them. */
function namesOf(added: readonly string[], host: string): string[] {
  // The name of the machine, and the address to listen on, can have characters that certificates do not allow.
  const own = [hostname(), host].filter((name) => isCertificateName(name) && !everyAddress.includes(name));
  return [...new Set(["localhost", "127.0.0.1", "::1", ...own, ...added].map(canonical))];
}

/** Returns a name in lower case, and an IPv6 address in its shortest form. */
function canonical(name: string): string {
  return name.includes(":") ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}
