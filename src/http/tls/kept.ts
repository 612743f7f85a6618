import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCa, createCertificate, createKey, KEPT_CA_DAYS, namesIn, type Pair } from "./certificates.ts";
import { certificateIn, checkPair, invalid, privateKeyIn, readIfExists } from "./files.ts";

/** A certificate is renewed when it is valid for less than this time, in milliseconds. */
const RENEWAL_MS = 30 * 86_400_000;

const HINT = "; delete the file, and the server creates a new one";

/**
 * Returns the CA and the certificate in a folder. Creates those that are missing or expired, and a new certificate if the
 * CA or the names have changed. Keeps private keys and the CA, so that clients need no change. Throws FilesError for an
 * invalid file.
 */
export async function keptIdentity(
  folder: string,
  names: readonly string[],
): Promise<Pair & { readonly caCertificate: string }> {
  await mkdir(folder, { mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== "EEXIST") throw invalid(folder, `expected a folder that this user may write to, found ${code}`);
  });
  const ca = await readPair(folder, "ca.pem", "ca-key.pem");
  checkCa(folder, ca);
  if (ca.cert === undefined || isExpiring(ca.cert)) {
    ca.key ??= await write(folder, "ca-key.pem", createKey());
    ca.cert = await write(folder, "ca.pem", createCa(ca.key, { days: KEPT_CA_DAYS }));
  }
  const own = await readPair(folder, "cert.pem", "key.pem");
  const reason = renewalReason(own.cert, ca.cert, names);
  if (own.cert === undefined || own.key === undefined || reason !== undefined) {
    if (ca.key === undefined) {
      const expected = `expected the private key of ca.pem to sign a new certificate, because ${reason}, found no file`;
      throw invalid(join(folder, "ca-key.pem"), `${expected}; delete ca.pem, and the server creates a new CA`);
    }
    own.key ??= await write(folder, "key.pem", createKey());
    const cert = createCertificate({ cert: ca.cert, key: ca.key }, own.key, names);
    own.cert = await write(folder, "cert.pem", cert);
  }
  // The control API serves this certificate to everyone. A file can contain a private key after it.
  return { cert: own.cert, key: own.key, caCertificate: new X509Certificate(ca.cert).toString() };
}

/** Throws FilesError if the files of the CA are valid, but not those of a CA that this server can use. */
function checkCa(folder: string, { cert, key }: Partial<Pair>): void {
  if (cert !== undefined && !new X509Certificate(cert).ca) {
    throw invalid(join(folder, "ca.pem"), `expected the certificate of a CA, found another certificate${HINT}`);
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = key === undefined ? {} : createPrivateKey(key);
  if (key !== undefined && asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    const file = join(folder, "ca-key.pem");
    throw invalid(file, `expected a private key on the curve P-256, found another ${asymmetricKeyType} key${HINT}`);
  }
}

/** Returns why the certificate cannot be used, or undefined if it can. */
function renewalReason(pem: string | undefined, caPem: string, names: readonly string[]): string | undefined {
  if (pem === undefined) return "cert.pem or key.pem is missing";
  const [cert, ca] = [new X509Certificate(pem), new X509Certificate(caPem)];
  if (isExpiring(pem)) return "cert.pem expires within 30 days";
  if (!cert.checkIssued(ca) || !cert.verify(ca.publicKey)) return "another CA signed cert.pem";
  const present = namesIn(pem);
  const missing = names.find((name) => !present.includes(name));
  return missing === undefined ? undefined : `cert.pem is not valid for ${missing}`;
}

function isExpiring(pem: string): boolean {
  const { validFrom, validTo } = new X509Certificate(pem);
  return Date.parse(validFrom) > Date.now() || Date.parse(validTo) - Date.now() < RENEWAL_MS;
}

/** Returns a certificate and its private key. Either may be missing. Throws FilesError. */
async function readPair(folder: string, certName: string, keyName: string): Promise<{ cert?: string; key?: string }> {
  const [certFile, keyFile] = [join(folder, certName), join(folder, keyName)];
  const [cert, key] = await Promise.all([readIfExists(certFile), readIfExists(keyFile)]);
  const certificate = cert === undefined ? undefined : certificateIn(certFile, cert, HINT);
  const privateKey = key === undefined ? undefined : privateKeyIn(keyFile, key, HINT);
  if (certificate && privateKey) checkPair(certFile, certificate, keyFile, privateKey, HINT);
  return { cert, key };
}

/** Writes a file that only this user can read. A crash leaves the old file or the new one. Returns the text. */
async function write(folder: string, name: string, text: string): Promise<string> {
  const file = join(folder, name);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw invalid(file, `expected a file that this user may write, found ${(error as NodeJS.ErrnoException).code}`);
  }
  return text;
}
