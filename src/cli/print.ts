/**
 * Writes to the standard output. Ignores a reader that stops early, such as `head`. Rejects with the error of Node for
 * other failures, such as a full disk.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (error && error.code !== "EPIPE") reject(error);
      else resolve();
    });
  });
}
