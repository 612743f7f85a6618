import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createCa, createCertificate, createKey } from "../../src/http/tls/certificates.ts";
import { folderOf } from "../setup/folder.ts";
import { describeWithTlsTools } from "../setup/requirements.ts";
import { run } from "../setup/run.ts";

const names = ["localhost", "127.0.0.1", "::1", "api.shop.test", "*.eu.test"];
const [ca, key] = [createCa(createKey()), createKey()];
const cert = createCertificate(ca, key, names);
const [caCertificate, certificate] = [new X509Certificate(ca.cert), new X509Certificate(cert)];

/** The validity in days. */
function days({ validFrom, validTo }: X509Certificate): number {
  return (Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000;
}

describe("a created certificate", () => {
  test("has all names, with IP addresses as such", () => {
    expect(certificate.subjectAltName).toBe(
      "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:api.shop.test, DNS:*.eu.test",
    );
    expect([certificate.checkIP("127.0.0.1"), certificate.checkHost("127.0.0.1")]).toEqual(["127.0.0.1", undefined]);
  });

  test("is signed by the CA, and belongs to its key on the curve P-256", () => {
    expect(certificate.checkIssued(caCertificate)).toBe(true);
    expect(certificate.verify(caCertificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
    expect([certificate.ca, caCertificate.ca]).toEqual([false, true]);
  });

  test("is valid for 397 days from yesterday", () => {
    expect([days(certificate), days(caCertificate)]).toEqual([397, 3650]);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now() - 86_000_000);
  });

  test("has a random serial number of 128 bits", () => {
    const serials = [caCertificate, certificate, new X509Certificate(createCertificate(ca, key, names))].map(
      ({ serialNumber }) => serialNumber,
    );
    expect(new Set(serials).size).toBe(3);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
});

describeWithTlsTools("openssl", () => {
  const folder = () => folderOf({ "ca.pem": ca.cert, "cert.pem": cert });
  const text = (file: string) => run("openssl", ["x509", "-in", file, "-noout", "-text"], folder());

  test("verifies the chain strictly, also the host names", async () => {
    for (const name of ["api.shop.test", "localhost", "www.eu.test"]) {
      const parameters = ["verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", name];
      expect(await run("openssl", [...parameters, "-CAfile", "ca.pem", "cert.pem"], folder())).toBe("cert.pem: OK");
    }
  });

  test("shows a CA that can only sign certificates of servers", async () => {
    const shown = (await text("ca.pem")).replace(/\s+/g, " ");
    expect(shown).toContain("X509v3 Basic Constraints: critical CA:TRUE, pathlen:0");
    expect(shown).toContain("X509v3 Key Usage: critical Certificate Sign X509v3");
  });

  test("shows a certificate for servers only", async () => {
    const shown = (await text("cert.pem")).replace(/\s+/g, " ");
    expect(shown).toContain("X509v3 Extended Key Usage: TLS Web Server Authentication");
    expect(shown).toContain("Basic Constraints: critical CA:FALSE");
    expect(shown).toContain("Signature Algorithm: ecdsa-with-SHA256");
    const [, id] = /Authority Key Identifier: ([0-9A-F:]+)/.exec(shown) ?? [];
    expect((await text("ca.pem")).replace(/\s+/g, " ")).toContain(`Subject Key Identifier: ${id}`);
  });
});
