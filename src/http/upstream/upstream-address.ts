import { randomBytes } from "node:crypto";
import { MAX_ENCODINGS, MIN_SECRET, percentDecoded, ServiceError, shown } from "../../contract/index.ts";
import { readCertificates } from "../pem.ts";

/** The address of the upstream. Requests go to this origin and stay below this path. */
export type Address = Awaited<ReturnType<typeof addressOf>>;

/** Returns the address for a valid `--upstream`. Throws an error that names the file for an unreadable CA. */
export async function addressOf(upstream: string, caFile?: string) {
  const url = new URL(upstream);
  const isSecure = url.protocol === "https:";
  const basePath = url.pathname.replace(/\/+$/, "");
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  const credentials = user === "" && password === "" ? undefined : `${user}:${password}`;
  return {
    isSecure,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (isSecure ? 443 : 80),
    /** The value of the header `Host`. */
    authority: url.host,
    /** The URL without credentials and without a slash at its end. */
    base: url.origin + basePath,
    /** The path of `base`: empty, or `/v2`. */
    basePath,
    /** The value of `Authorization` for requests without one, if the URL has credentials. */
    authorization: credentials === undefined ? undefined : `Basic ${base64(credentials)}`,
    /**
     * The password in the URL and the value of `authorization`, which no header, body, entry or file may show. Without a
     * password, the user is the secret: some services take a key in its place.
     */
    secrets: credentials === undefined ? [] : secretsOf(credentials, password || user),
    /** The name of this mock, unique, in requests to the upstream: it tells a loop. */
    mockId: `resource-mock-${randomBytes(8).toString("hex")}`,
    /** The CA that signed the certificate of the upstream, as PEM. */
    ca: caFile === undefined ? undefined : await readCertificates(caFile),
  };
}

/** Returns the texts that contain the credentials, in the notations of headers, URLs and JSON. */
function secretsOf(credentials: string, password: string): string[] {
  const inJson = JSON.stringify(password).slice(1, -1);
  const notations = [base64(credentials), password, encodeURIComponent(password), inJson];
  return [...new Set(notations)].filter((text) => text.length >= MIN_SECRET);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/**
 * Returns the path of a request at the upstream. Throws InvalidInput for a path with `.` or `..` as a segment, also
 * encoded: the upstream could resolve it to a path outside of the base path.
 */
export function pathAt({ basePath }: Address, path: string): string {
  let plain = path;
  for (let count = 0; count <= MAX_ENCODINGS; count++) {
    if (plain.split(/[/\\]/).some(isDots)) throw refused('no segments "." and ".."', path);
    // Byte by byte, as invalid UTF-8 can hide dots too.
    const next = plain.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === plain) return basePath + path;
    plain = next;
  }
  throw refused(`at most ${MAX_ENCODINGS} percent-encodings of a character`, path);
}

function refused(expected: string, path: string): ServiceError {
  const message = `The path: expected ${expected}, found ${shown(path)}. The mock does not forward such a path.`;
  return new ServiceError({ code: "InvalidInput", message });
}

/** Returns whether a server can read a segment as dots. Some ignore spaces, control characters, or the text after `;`. */
function isDots(segment: string): boolean {
  return /^\.{1,2}([;?#]|$)/.test(segment.replace(/[\s\p{Cc}]/gu, "")) || /^\.{1,2}\0/.test(segment);
}

/**
 * Returns the value of `Location` for the client of the mock: a location below the base URL of the upstream becomes a
 * path of the mock. Other locations stay.
 */
export function locationAt({ base, basePath }: Address, location: string): string {
  const url = URL.parse(location, `${base}/`);
  const isPath = location.startsWith("/") && !/^\/[/\\]/.test(location);
  if (!url || !(isPath || /^(https?:)?[/\\]{2}/i.test(location)) || url.origin !== new URL(base).origin)
    return location;
  const isBelow = url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
  if (!isBelow) return isPath ? location : Object.assign(url, { username: "", password: "" }).href;
  const path = url.pathname.slice(basePath.length) || "/";
  // Two slashes at the start would name another host.
  return path.replace(/^\/{2,}/, "/") + url.search + url.hash;
}
