import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pair } from "../../src/http/pem.ts";
import { createCa, createCertificate, createKey } from "../../src/http/tls/certificates.ts";

/** Files of a CA, and of a certificate that it has signed. */
export interface CertificateFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly ca: Pair;
  readonly own: Pair;
}

/** Writes a new CA, and a certificate for these names, into a folder. */
export function writeCertificates(folder: string, prefix: string, names: readonly string[]): CertificateFiles {
  const [ca, key] = [createCa(createKey()), createKey()];
  const own = { key, cert: createCertificate(ca, key, names) };
  const write = (name: string, text: string) => {
    const file = join(folder, `${prefix}-${name}`);
    writeFileSync(file, text);
    return file;
  };
  return {
    caFile: write("ca.pem", ca.cert),
    certFile: write("cert.pem", own.cert),
    keyFile: write("key.pem", own.key),
    ca,
    own,
  };
}
