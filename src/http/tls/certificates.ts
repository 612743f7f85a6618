import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import * as x509 from "@peculiar/asn1-x509";
import type { Pair } from "../pem.ts";

const DAY = 86_400_000;
/** Clients accept certificates of servers for at most 398 days. */
const CERTIFICATE_DAYS = 397;
/** Users add the CA of a folder to their trust store by hand, so it stays valid for longer. */
const CA_DAYS = 3650;

/** The signature algorithm ecdsa-with-SHA256 (RFC 5758, section 3.2). */
const ecdsaWithSha256 = new x509.AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });
const COMMON_NAME = "2.5.4.3";

/** Returns a new private key on the curve P-256, as PEM (PKCS #8). */
export function createKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

/** Returns a CA with this key, which signs only certificates of servers. */
export function createCa(key: string): Pair {
  const publicKey = publicKeyOf(key);
  const id = keyId(publicKey);
  const subject = nameOf(`resource-mock CA ${Buffer.from(id).toString("hex").slice(0, 8)}`);
  const extensions = [
    extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 }), "critical"),
    extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.keyCertSign), "critical"),
    extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(id)),
  ];
  return { cert: signed({ subject, issuer: subject, days: CA_DAYS, extensions, publicKey }, key), key };
}

/** Returns a certificate of a server with these host names and IP addresses, signed by the CA, as PEM. */
export function createCertificate(ca: Pair, key: string, names: readonly string[]): string {
  const publicKey = publicKeyOf(key);
  const generalNames = names.map((name) => new x509.GeneralName(isIP(name) ? { iPAddress: name } : { dNSName: name }));
  const caCertificate = AsnConvert.parse(new X509Certificate(ca.cert).raw, x509.Certificate);
  const extensions = [
    extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: false }), "critical"),
    extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature), "critical"),
    extension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth])),
    extension(x509.id_ce_subjectAltName, new x509.SubjectAlternativeName(generalNames)),
    extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyId(publicKey))),
    extension(
      x509.id_ce_authorityKeyIdentifier,
      new x509.AuthorityKeyIdentifier({ keyIdentifier: new x509.KeyIdentifier(keyId(publicKeyOf(ca.key))) }),
    ),
  ];
  const issuer = caCertificate.tbsCertificate.subject;
  const subject = nameOf("resource-mock");
  return signed({ subject, issuer, days: CERTIFICATE_DAYS, extensions, publicKey }, ca.key);
}

interface Unsigned {
  readonly subject: x509.Name;
  readonly issuer: x509.Name;
  readonly days: number;
  readonly extensions: x509.Extension[];
  readonly publicKey: Buffer;
}

/** Returns a certificate that is valid from yesterday, so that a client whose clock is slow accepts it. */
function signed({ subject, issuer, days, extensions, publicKey }: Unsigned, signingKey: string): string {
  const start = Math.floor(Date.now() / 1000) * 1000 - DAY;
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: serialNumber(),
    signature: ecdsaWithSha256,
    issuer,
    validity: new x509.Validity({ notBefore: new Date(start), notAfter: new Date(start + days * DAY) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, x509.SubjectPublicKeyInfo),
    extensions: new x509.Extensions(extensions),
  });
  const signature = sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), signingKey);
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: ecdsaWithSha256,
    signatureValue: arrayBuffer(signature),
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

function extension(extnID: string, value: object, critical?: "critical"): x509.Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value));
  return new x509.Extension({ extnID, critical: critical !== undefined, extnValue });
}

/** Returns a positive number of 128 random bits. The first byte is neither 0 nor negative, as DER requires. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return arrayBuffer(bytes);
}

function nameOf(commonName: string): x509.Name {
  const value = new x509.AttributeValue({ utf8String: commonName });
  return new x509.Name([
    new x509.RelativeDistinguishedName([new x509.AttributeTypeAndValue({ type: COMMON_NAME, value })]),
  ]);
}

/** Returns the public key of a private key, in the form of a certificate (SubjectPublicKeyInfo). */
function publicKeyOf(key: string): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

/** Returns the identifier of a public key: the first 160 bits of its hash (RFC 7093, section 2). */
function keyId(publicKey: Buffer): ArrayBuffer {
  const { subjectPublicKey } = AsnConvert.parse(publicKey, x509.SubjectPublicKeyInfo);
  return arrayBuffer(createHash("sha256").update(new Uint8Array(subjectPublicKey)).digest().subarray(0, 20));
}

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
