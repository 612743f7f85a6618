import { MAX_INT32, type Schema } from "../contract/index.ts";

/*
 * Seeded random numbers and ids. They are the same on every machine, and independent of time and entropy. Not for secrets.
 */

export const RandomPosition = {
  type: "array",
  minItems: 4,
  maxItems: 4,
  items: { type: "integer", minimum: -MAX_INT32 - 1, maximum: MAX_INT32 },
  description: "The position in the sequence of random numbers. Absent before the first one.",
} as const satisfies Schema;
export type RandomPosition = readonly number[];

/** Returns the start of the random sequence for a seed (sfc32, seeded with a 128-bit hash of the text). */
export function randomStart(seed: string): RandomPosition {
  let position: RandomPosition = hash128(seed);
  // The first outputs of sfc32 still depend visibly on the seed.
  for (let warmUp = 0; warmUp < 12; warmUp++) position = nextRandom(position).position;
  return position;
}

/** Returns the next number of a random sequence, in [0, 1), and the position after it. */
export function nextRandom([a = 0, b = 0, c = 0, d = 0]: RandomPosition): { value: number; position: RandomPosition } {
  const t = (((a + b) | 0) + d) | 0;
  const position = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + t) | 0, (d + 1) | 0];
  return { value: (t >>> 0) / 4294967296, position };
}

/** Returns a function that returns the next number of a sequence, in [0, 1). */
export function createRandom(seed: string): () => number {
  let position = randomStart(seed);
  return () => {
    const next = nextRandom(position);
    position = next.position;
    return next.value;
  };
}

/** Returns the id for a text, in the form of a version 4 UUID. */
export function uuidOf(text: string): string {
  const words = hash128(text);
  words[1] = (words[1] & 0xffff0fff) | 0x4000;
  words[2] = (words[2] & 0x3fffffff) | 0x80000000;
  const hex = words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns a hash of the text: eight hexadecimal digits. */
export function shortHash(text: string): string {
  return (hash128(text)[0] >>> 0).toString(16).padStart(8, "0");
}

/** Returns a 128-bit hash of the text's UTF-16 code units, as four 32-bit words (cyrb128, public domain). */
function hash128(text: string): [number, number, number, number] {
  let h1 = 1779033703;
  let h2 = 3144134277;
  let h3 = 1013904242;
  let h4 = 2773480762;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    h1 = h2 ^ Math.imul(h1 ^ unit, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ unit, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ unit, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ unit, 2716044179);
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597399067);
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2869860233);
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951274213);
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2716044179);
  h1 ^= h2 ^ h3 ^ h4;
  return [h1, h2 ^ h1, h3 ^ h1, h4 ^ h1];
}
