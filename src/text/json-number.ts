/**
 * Returns whether a 64-bit floating-point value can hold a decimal number: it does not overflow, and an integer keeps all
 * its digits. Fractions can be rounded. JSON itself sets no limits (RFC 8259, section 6).
 */
export function isLossless(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(text) || digitsOf(String(value)) === digitsOf(text);
}

/** Returns the digits of a number without leading and trailing zeros. If rounding changes an integer, it changes these. */
function digitsOf(text: string): string {
  return text
    .replace(/e.*$/, "")
    .replace(/^[+-]?0*/, "")
    .replace(".", "")
    .replace(/0+$/, "");
}
