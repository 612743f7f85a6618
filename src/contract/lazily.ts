/**
 * Returns a function that loads a value at its first call and caches it. If the load fails, for example because too many
 * files are open, the next call retries it.
 */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
