import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ControlError, problemText } from "../client/control-error.ts";

/** A call to the mock that a click or a form starts, and its result. */
export interface Action {
  readonly isInProgress: boolean;
  readonly error?: unknown;
  /** Runs the call. Resolves to whether it succeeded. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

export function useAction(): Action {
  const [state, setState] = useState<{ isInProgress: boolean; error?: unknown }>({ isInProgress: false });
  return {
    ...state,
    async run(action) {
      setState({ isInProgress: true });
      try {
        await action();
        setState({ isInProgress: false });
        return true;
      } catch (error) {
        setState({ isInProgress: false, error });
        return false;
      }
    },
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

function messageOf(error: unknown): string {
  if (error instanceof ControlError && error.status !== undefined) return problemText(error.problem);
  return error instanceof Error ? error.message : String(error);
}

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly action: Action;
  /** Called on each click. */
  readonly run: () => Promise<unknown>;
  /** The question that the user must confirm before the call. Set if the call cannot be undone. */
  readonly confirm?: string;
  readonly label?: string;
}

/** A button that starts a call to the mock. */
export function Button({ children, action, run, confirm: question, label }: ButtonProps) {
  const click = () => {
    if (question === undefined || confirm(question)) void action.run(run);
  };
  return (
    <button type="button" disabled={action.isInProgress} onClick={click} aria-label={label}>
      {children}
    </button>
  );
}
