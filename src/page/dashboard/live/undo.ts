import { useToasts } from "../parts/toasts.tsx";
import { useSession } from "./session.ts";

/**
 * Returns a function that runs a call which removes or replaces data of a project, and then shows a toast that undoes the
 * call: it restores an archive of the project from before. Tokens of the project become invalid.
 */
export function useUndoable(): (project: string, call: () => Promise<unknown>, done: string) => Promise<void> {
  const { client } = useSession();
  const toasts = useToasts();
  return async (project, call, done) => {
    const controls = client.project(project);
    const before = await controls.archive();
    await call();
    toasts.show(done, () => controls.restoreArchive(before));
  };
}
