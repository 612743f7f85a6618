/* Calls that the user starts, and how the page shows their progress, errors and results: buttons, forms, toasts, loads. */

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import { ControlError, problemText } from "../../../control/client/index.ts";
import { type Loaded, useLive, useSession } from "../live/session.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Returns a call to the mock that a click or a form starts. Show its error with `Failure` next to that control. */
export function useAction() {
  const toasts = useToasts();
  const [state, setState] = useState<{ isInProgress: boolean; error?: unknown }>({ isInProgress: false });
  return {
    ...state,
    /** Runs the call. Resolves to whether it succeeded. `done` is the toast for a success. */
    async run(call: () => Promise<unknown>, done?: string): Promise<boolean> {
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

/**
 * Shows the error of a call: the problem details of the mock, with each location. Shows nothing without an error, and for
 * a call without a response while the banner of the page says that the mock is silent.
 */
export function Failure({ of }: { of: { readonly error?: unknown } }) {
  const { isConnected } = useLive();
  if (of.error === undefined) return null;
  if (!isConnected && of.error instanceof ControlError && of.error.status === undefined) return null;
  return (
    <p class="failure" role="alert">
      {messageOf(of.error)}
    </p>
  );
}

/** Returns the message of an error for the user, without the name of the call. */
function messageOf(error: unknown): string {
  if (error instanceof ControlError && error.status !== undefined) return problemText(error.problem);
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether the mock has responded that the item does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ControlError && error.status === 404;
}

/** Returns undefined if the mock has responded that the item does not exist. Throws other errors. */
export function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

type Action = ReturnType<typeof useAction>;

interface CallProps {
  readonly children: ComponentChildren;
  /** Called on each click. An error is shown next to the button. */
  readonly run: () => Promise<unknown>;
  /** The action of a form or list that shows the error itself. By default, the button shows it. */
  readonly action?: Action;
  readonly done?: string;
  readonly disabled?: boolean;
}

interface ButtonProps extends CallProps {
  readonly label?: string;
  readonly kind?: "primary" | "quiet" | "icon" | "danger";
}

/**
 * A button that starts a call to the mock. While the call runs, the button ignores clicks but keeps the focus, which a
 * disabled button would lose.
 */
export function Button({ children, run, action, done, label, kind, disabled }: ButtonProps) {
  const own = useAction();
  const used = action ?? own;
  const isBusy = used.isInProgress || disabled === true;
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-disabled={isBusy || undefined}
        onClick={() => isBusy || void used.run(run, done)}
        aria-label={label}
      >
        {children}
      </button>
      {!action && <Failure of={own} />}
    </>
  );
}

export type PlainProps = JSX.IntrinsicElements["button"];

/** A button that calls no mock. */
export function PlainButton(props: PlainProps) {
  return <button type="button" {...props} />;
}

type IconButtonProps = PlainProps & { readonly label: string; readonly icon?: IconName };

/** A quiet button with a drawing, a cross by default, and an accessible name. */
export function IconButton({ label, icon = "close", ...button }: IconButtonProps) {
  return (
    <PlainButton class="quiet icon" aria-label={label} title={label} {...button}>
      <Icon name={icon} />
    </PlainButton>
  );
}

interface FormProps extends CallProps {
  readonly submit: string;
  /** Whether the fields, the button and an error share one line. The button then is a plain one. */
  readonly isLine?: boolean;
  /** Whether the buttons stay at the lower edge of the pane. */
  readonly isFooter?: boolean;
  readonly class?: string;
  readonly more?: ComponentChildren;
}

export function Form({ children, run, action, done, disabled, submit, isLine, isFooter, more, ...props }: FormProps) {
  const own = useAction();
  const used = action ?? own;
  const isBusy = used.isInProgress || disabled === true;
  const buttons = (
    <>
      <button type="submit" class={isLine ? undefined : "primary"} aria-disabled={isBusy || undefined}>
        {submit}
      </button>
      {more}
    </>
  );
  return (
    <form
      class={isLine ? "bar" : props.class}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void used.run(run, done);
      }}
    >
      {children}
      {isLine && buttons}
      <Failure of={used} />
      {!isLine && <div class={isFooter ? "bar footer" : "bar submit"}>{buttons}</div>}
    </form>
  );
}

/** Grey lines in place of content that is loading. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return <p class="skeleton" aria-busy="true" role="status" aria-label="Loading" style={{ height: lines * 24 }} />;
}

interface LoadingProps<T> {
  readonly of: Loaded<T>;
  readonly lines?: number;
  /** Shown in place of an empty list. */
  readonly none?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a loaded value, or lines while it is loading. If a load fails, the error is shown above the last value. */
export function Loading<T>({ of, lines, none, children }: LoadingProps<T>) {
  const { value, error } = of;
  const isEmpty = none !== undefined && Array.isArray(value) && value.length === 0;
  return (
    <>
      <Failure of={of} />
      {value === undefined ? error === undefined && <Skeleton lines={lines} /> : isEmpty ? none : children(value)}
    </>
  );
}

interface Toast {
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
}

interface Toasts {
  /** Shows a message for a few seconds; with `undo`, a button that takes the action back. */
  show(text: Toast["text"], undo?: Toast["undo"]): void;
}

/** The time that a toast stays, in milliseconds. */
const SHOWN_MS = 10_000;
/** The most toasts at once. The oldest one goes first. */
const MAX_SHOWN = 3;

const ToastContext = createContext<Toasts>({ show() {} });

export function useToasts(): Toasts {
  return useContext(ToastContext);
}

export function ToastArea({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const remove = (toast: Toast) => setShown((toasts) => toasts.filter((each) => each !== toast));
  const [toasts] = useState<Toasts>(() => ({
    show(text, undo) {
      const toast = { text, undo };
      setShown((before) => [...before, toast].slice(-MAX_SHOWN));
      setTimeout(() => remove(toast), SHOWN_MS);
    },
  }));
  const undo = (toast: Toast) => {
    remove(toast);
    toast.undo?.().then(
      () => toasts.show("Undone"),
      (error: unknown) => toasts.show(`Undo failed: ${messageOf(error)}`),
    );
  };
  return (
    <ToastContext.Provider value={toasts}>
      {children}
      <div class="toasts" role="status" aria-label="Messages">
        {shown.map((toast) => (
          <p class="toast bar" key={toast}>
            {toast.text}
            {toast.undo && <PlainButton onClick={() => undo(toast)}>Undo</PlainButton>}
          </p>
        ))}
      </div>
    </ToastContext.Provider>
  );
}

/** Asks before the reset of all projects, which has no undo. */
export function confirmResetAll(): boolean {
  return confirm("Reset every project to its initial state? This cannot be undone.");
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
