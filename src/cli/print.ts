/**
 * Writes to the standard output. Whoever reads no further, as `head` does, has what they wanted; any other failure, such
 * as a full disk, rejects with Node's error.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (error && error.code !== "EPIPE") reject(error);
      else resolve();
    });
  });
}
