import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ControlError, problemText } from "../../../control/client/index.ts";
import { useConfirm } from "./dialog.tsx";
import { useToasts } from "./toasts.tsx";

/** A call to the mock that a click or a form starts, and its result. */
export interface Action {
  readonly isInProgress: boolean;
  readonly error?: unknown;
  /** Runs the call. Resolves to whether it succeeded. `done` is the toast for a success. */
  run(call: () => Promise<unknown>, done?: string): Promise<boolean>;
  /** Removes the error. */
  clear(): void;
}

/** Returns an action. Show its error with `Failure` next to the control that starts it. */
export function useAction(): Action {
  const toasts = useToasts();
  const [state, setState] = useState<{ isInProgress: boolean; error?: unknown }>({ isInProgress: false });
  return {
    ...state,
    async run(call, done) {
      setState({ isInProgress: true });
      try {
        await call();
        setState({ isInProgress: false });
        if (done !== undefined) toasts.show(done);
        return true;
      } catch (error) {
        setState({ isInProgress: false, error });
        return false;
      }
    },
    clear: () => setState({ isInProgress: false }),
  };
}

/** Shows the error of a call: the problem details of the mock, with each location. Shows nothing without an error. */
export function Failure({ of }: { of: { readonly error?: unknown } }) {
  if (of.error === undefined) return null;
  return (
    <p class="failure" role="alert">
      {messageOf(of.error)}
    </p>
  );
}

/** Returns the message of an error for the user, without the name of the call. */
export function messageOf(error: unknown): string {
  if (error instanceof ControlError && error.status !== undefined) return problemText(error.problem);
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether the mock has responded that the item does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ControlError && error.status === 404;
}

export interface ButtonProps {
  readonly children: ComponentChildren;
  /** Called on each click. An error is shown next to the button. */
  readonly run: () => Promise<unknown>;
  /** The action of a form or list that shows the error itself. By default, the button shows it. */
  readonly action?: Action;
  /** The toast for a success. */
  readonly done?: string;
  /** The question that the user must confirm before the call, with the label of the confirming button. */
  readonly confirm?: { readonly question: string; readonly yes: string };
  /** The accessible name, if the text is not enough. */
  readonly label?: string;
  readonly kind?: "primary" | "danger" | "quiet";
  readonly disabled?: boolean;
}

/**
 * A button that starts a call to the mock. While the call runs, the button ignores clicks but keeps the focus, which a
 * disabled button would lose.
 */
export function Button({ children, run, action, done, confirm: wanted, label, kind, disabled }: ButtonProps) {
  const own = useAction();
  const confirm = useConfirm();
  const used = action ?? own;
  const click = async () => {
    if (used.isInProgress || disabled) return;
    if (wanted === undefined || (await confirm(wanted))) await used.run(run, done);
  };
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-disabled={used.isInProgress || disabled || undefined}
        onClick={() => void click()}
        aria-label={label}
      >
        {children}
      </button>
      {!action && <Failure of={own} />}
    </>
  );
}
