/**
 * What is loaded when it is first asked for, and then once for all. Where loading fails, as it does when too many files
 * are open, who asks next has it tried again.
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
