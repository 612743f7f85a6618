/** Returns the bytes with each secret replaced by asterisks. The size stays, as its header can have been sent before. */
export function masked(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  if (secrets.length === 0) return bytes;
  const safe = Buffer.from(bytes);
  for (const secret of secrets) {
    const size = Buffer.byteLength(secret);
    for (let at = safe.indexOf(secret); at >= 0; at = safe.indexOf(secret, at + size)) safe.fill("*", at, at + size);
  }
  return safe;
}

/** Does the same for a body that arrives in pieces. The last bytes of a piece can begin a secret, and wait for the next. */
export async function* maskedPieces(
  pieces: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array> {
  const longest = Math.max(...secrets.map((secret) => Buffer.byteLength(secret)));
  let held: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = masked(Buffer.concat([held, piece]), secrets);
    const end = Math.max(0, bytes.length - longest + 1);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}
