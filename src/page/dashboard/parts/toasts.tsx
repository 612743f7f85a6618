import { type ComponentChildren, createContext } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import { useSession } from "../live/session.ts";

interface Toasts {
  /** Shows a message for a few seconds; with `undo`, a button that takes the action back. */
  show(text: string, undo?: () => Promise<unknown>): void;
}

/** The time that a toast stays, in milliseconds. One with a button stays longer. */
const SHOWN_MS = { plain: 4000, undo: 10_000 };
/** The most toasts at once. The oldest one goes first. */
const MAX_SHOWN = 3;

const ToastContext = createContext<Toasts>({ show() {} });

export function useToasts(): Toasts {
  return useContext(ToastContext);
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
}

export function ToastArea({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const remove = (id: number) => setShown((toasts) => toasts.filter((toast) => toast.id !== id));
  const [toasts] = useState<Toasts>(() => ({
    show(text, undo) {
      const toast = { id: ++lastId.current, text, undo };
      setShown((before) => [...before, toast].slice(-MAX_SHOWN));
      setTimeout(() => remove(toast.id), undo ? SHOWN_MS.undo : SHOWN_MS.plain);
    },
  }));
  const undo = ({ id, undo }: Toast) => {
    remove(id);
    undo?.().then(
      () => toasts.show("Undone"),
      (error: unknown) => toasts.show(`Undo failed: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  return (
    <ToastContext.Provider value={toasts}>
      {children}
      <div class="toasts" role="status" aria-label="Messages">
        {shown.map((toast) => (
          <p class="toast" key={toast.id}>
            {toast.text}
            {toast.undo && (
              <button type="button" onClick={() => undo(toast)}>
                Undo
              </button>
            )}
          </p>
        ))}
      </div>
    </ToastContext.Provider>
  );
}

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
