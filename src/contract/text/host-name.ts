const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const hostName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`, "i");

/** Returns whether a certificate can have this name: a host name, also with `*.` before it, or an IP address. */
export function isCertificateName(text: string): boolean {
  return text.includes(":") ? URL.canParse(`http://[${text}]`) : text.length <= 253 && hostName.test(text);
}

/** Returns whether the text is an http or https URL that can have credentials and a path, but no query and no fragment. */
export function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#\s]/.test(text);
}

/** Returns the URL without a user name and password, for messages. The text can be an invalid URL. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(\w*:?[/\\]*).*@/s, "$1");
}
