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

/** Does the same for a body that arrives in pieces. Only bytes that can be the start of a secret wait for the next piece. */
export async function* maskedPieces(
  pieces: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = masked(Buffer.concat([held, piece]), secrets);
    const end = bytes.length - startedSize(bytes, secrets);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}

/** Returns the size of the longest start of a secret at the end of the bytes. */
function startedSize(bytes: Uint8Array, secrets: readonly string[]): number {
  const sizes = secrets.map((text) => {
    const secret = Buffer.from(text);
    let size = Math.min(secret.length - 1, bytes.length);
    while (size > 0 && secret.compare(bytes, bytes.length - size, bytes.length, 0, size) !== 0) size--;
    return size;
  });
  return Math.max(0, ...sizes);
}
