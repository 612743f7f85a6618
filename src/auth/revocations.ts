/** The form of tokens that this server issues: 192 random bits. Other tokens cannot be revoked. */
const tokenForm = /^[0-9a-f]{48}$/;

/** The number of hexadecimal digits in a position of the filter. */
const DIGITS = 6;

/**
 * The revoked tokens of a server: a Bloom filter of 2 MiB. It never forgets a revoked token. It may report another token as
 * revoked by mistake; after 400,000 revocations, the probability is below one in a million. The registry uses the filter
 * only for tokens that it no longer holds.
 */
export class Revocations {
  #bits: Uint8Array | undefined;

  add(token: string): void {
    this.#bits ??= new Uint8Array(16 ** DIGITS / 8);
    for (const position of positionsOf(token))
      this.#bits[position >> 3] = (this.#bits[position >> 3] ?? 0) | (1 << (position & 7));
  }

  has(token: string): boolean {
    const bits = this.#bits;
    if (!bits || !tokenForm.test(token)) return false;
    return positionsOf(token).every((position) => ((bits[position >> 3] ?? 0) >> (position & 7)) & 1);
  }
}

/** Returns the positions of a token's bits. Tokens are random, so their digits serve as hashes. */
function positionsOf(token: string): number[] {
  if (!tokenForm.test(token)) return [];
  const positions: number[] = [];
  for (let at = 0; at < token.length; at += DIGITS) positions.push(Number.parseInt(token.slice(at, at + DIGITS), 16));
  return positions;
}
