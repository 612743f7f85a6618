const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const hostName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`, "i");

/** Returns whether a certificate can have this name: a host name, also with `*.` before it, or an IP address. */
export function isCertificateName(text: string): boolean {
  return text.includes(":") ? URL.canParse(`http://[${text}]`) : text.length <= 253 && hostName.test(text);
}
