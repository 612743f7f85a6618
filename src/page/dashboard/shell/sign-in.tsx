import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface SignInProps {
  readonly onToken: (token: string) => void;
  /** Whether the mock rejected the last token. */
  readonly wasRejected: boolean;
}

/** Returns whether the text has the characters of an admin token, which `--admin-token` and headers accept. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The form for the admin token, shown above the page if the mock was started with `--admin-token`. */
export function SignIn({ onToken, wasRejected }: SignInProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState("");
  const [error, setError] = useState(wasRejected ? "Invalid admin token." : undefined);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const send = (event: Event) => {
    event.preventDefault();
    const sent = token.trim();
    if (isSendable(sent)) onToken(sent);
    else setError("Invalid admin token: expected printable ASCII characters without spaces.");
  };
  return (
    <dialog
      ref={dialog}
      class="sign-in"
      aria-labelledby="sign-in"
      // Without a token, the page can do nothing, so Escape does not close the form. Browsers close it for a second Escape.
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <form class="dialog-content" onSubmit={send} noValidate>
        <h1 id="sign-in">resource-mock</h1>
        <p>
          This mock requires the token of its <code>--admin-token</code> flag. The tab keeps the token until you close
          it.
        </p>
        <label>
          Admin token
          <input
            type="password"
            autocomplete="current-password"
            aria-invalid={error !== undefined}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {error && (
          <p class="failure" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="primary">
          Open the dashboard
        </button>
      </form>
    </dialog>
  );
}
