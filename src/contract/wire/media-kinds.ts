/** Returns the media type in lower case, without parameters. */
export function typeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** Returns how a body of this media type is read. Multipart types other than `form-data` are bytes. */
export function kindOf(mediaType: string): "json" | "form" | "multipart" | "text" | "bytes" {
  if (mediaType === "application/json") return "json";
  const type = typeOf(mediaType);
  if (/^(?:application|text)\/json$|\+json$/.test(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "multipart/form-data") return "multipart";
  return /^text\/|^application\/(?:xml|yaml|x-yaml)$|\+(?:xml|yaml)$/.test(type) ? "text" : "bytes";
}

export function isJson(mediaType: string): boolean {
  return kindOf(mediaType) === "json";
}
