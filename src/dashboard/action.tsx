import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ControlError, problemText } from "../client/control-error.ts";

/** What a click or a form asks of the mock, with what came of it. */
export interface Action {
  readonly isUnderWay: boolean;
  readonly error?: unknown;
  /** Runs it; whether it went well. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

export function useAction(): Action {
  const [state, setState] = useState<{ isUnderWay: boolean; error?: unknown }>({ isUnderWay: false });
  return {
    ...state,
    async run(action) {
      setState({ isUnderWay: true });
      try {
        await action();
        setState({ isUnderWay: false });
        return true;
      } catch (error) {
        setState({ isUnderWay: false, error });
        return false;
      }
    },
  };
}

/** Says what went wrong, if anything did: the mock's problem details, with each place. */
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
  /** Called when it is clicked. */
  readonly run: () => Promise<unknown>;
  /** What is asked first, where there is no way back. */
  readonly confirm?: string;
  readonly label?: string;
}

/** A button that asks something of the mock. */
export function Button({ children, action, run, confirm: question, label }: ButtonProps) {
  const click = () => {
    if (question === undefined || confirm(question)) void action.run(run);
  };
  return (
    <button type="button" disabled={action.isUnderWay} onClick={click} aria-label={label}>
      {children}
    </button>
  );
}
