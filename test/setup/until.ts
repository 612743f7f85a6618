/** Waits, turn by turn of the event loop, until it is so. What never comes is ended by the test's own timeout. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
