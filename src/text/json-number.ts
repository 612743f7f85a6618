/**
 * Whether a decimal number comes back from a 64-bit floating-point value as it was written: it does not overflow, and
 * an integer keeps all its digits. Fractions may be rounded. JSON has no rule of its own (RFC 8259, section 6).
 */
export function comesBack(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(text) || digitsOf(String(value)) === digitsOf(text);
}

/** The digits of a number without the zeros at both ends: rounding changes these whenever it changes an integer. */
function digitsOf(text: string): string {
  return text
    .replace(/e.*$/, "")
    .replace(/^[+-]?0*/, "")
    .replace(".", "")
    .replace(/0+$/, "");
}
