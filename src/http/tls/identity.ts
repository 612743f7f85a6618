import { hostname } from "node:os";
import { isCertificateName } from "../../contract/index.ts";
import type { Pair } from "./certificates.ts";
import { readCertificates, readOwnPair } from "./files.ts";

/** The options of the certificate of the server. */
interface TlsOptions {
  /** Further host names and IP addresses of the created certificate. */
  readonly names?: readonly string[];
  /** The folder that keeps the created CA and certificate. */
  readonly dir?: string;
  /** The path of a certificate, used instead of a created one. */
  readonly cert?: string;
  /** The path of the private key of `cert`. */
  readonly key?: string;
  /** The path of the CA of client certificates, which clients must then send. */
  readonly clientCa?: string;
}

/** A certificate and its private key as PEM, with the CA of client certificates. */
export interface Identity extends Pair {
  readonly clientCa?: string;
  /** The CA that signed a created certificate, as PEM. */
  readonly caCertificate?: string;
}

/**
 * Returns the certificate of the server: the own one, the kept one, or a new one. A created certificate is valid for this
 * machine, for the address that the server listens on, and for `names`. Throws FilesError for an invalid file.
 */
export async function loadIdentity(options: TlsOptions, host: string): Promise<Identity> {
  const { dir, cert, key, clientCa: clientCaFile } = options;
  const clientCa = clientCaFile === undefined ? undefined : await readCertificates(clientCaFile);
  if (cert !== undefined && key !== undefined) return { ...(await readOwnPair(cert, key)), clientCa };
  const names = namesOf(options.names ?? [], host);
  if (dir !== undefined) {
    const { keptIdentity } = await import("./kept.ts");
    return { ...(await keptIdentity(dir, names)), clientCa };
  }
  return { ...(await temporaryIdentity(names)), clientCa };
}

/** Returns a new certificate. The private key of its CA is not kept, so nobody can sign another one. */
async function temporaryIdentity(names: readonly string[]): Promise<Required<Omit<Identity, "clientCa">>> {
  const { CERTIFICATE_DAYS, createCa, createCertificate, createKey } = await import("./certificates.ts");
  const [caKey, key] = [createKey(), createKey()];
  const caCertificate = createCa(caKey, { days: CERTIFICATE_DAYS, names });
  return { key, cert: createCertificate({ cert: caCertificate, key: caKey }, key, names), caCertificate };
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
