/** Of the tokens that this server issues: 192 random bits. Others cannot be revoked. */
const tokenForm = /^[0-9a-f]{48}$/;

/** Hexadecimal digits of a place in the filter. */
const DIGITS = 6;

/**
 * The tokens that have been revoked, as long as the server runs: a Bloom filter of 2 MiB, which forgets none, however
 * many there are. It may take a token for a revoked one by mistake, for 400,000 revocations with a probability below
 * one in a million; only tokens that the registry does not know are looked up here.
 */
export class Revocations {
  #bits: Uint8Array | undefined;

  add(token: string): void {
    this.#bits ??= new Uint8Array(16 ** DIGITS / 8);
    for (const place of placesOf(token)) this.#bits[place >> 3] = (this.#bits[place >> 3] ?? 0) | (1 << (place & 7));
  }

  has(token: string): boolean {
    const bits = this.#bits;
    if (!bits || !tokenForm.test(token)) return false;
    return placesOf(token).every((place) => ((bits[place >> 3] ?? 0) >> (place & 7)) & 1);
  }
}

/** The places of a token's bits. As tokens are random, their digits serve as hashes. */
function placesOf(token: string): number[] {
  if (!tokenForm.test(token)) return [];
  const places: number[] = [];
  for (let at = 0; at < token.length; at += DIGITS) places.push(Number.parseInt(token.slice(at, at + DIGITS), 16));
  return places;
}
