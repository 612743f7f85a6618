import { useId, useState } from "preact/hooks";
import { Failure, Form, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";

interface SignInProps {
  readonly onToken: (token: string) => void;
  readonly wasRejected: boolean;
}

/** Returns whether the text has the characters of an admin token, which `--admin-token` and headers accept. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The form for the admin token, shown above the page if the mock was started with `--admin-token`. */
export function SignIn({ onToken, wasRejected }: SignInProps) {
  const action = useAction();
  const [token, setToken] = useState("");
  const id = useId();
  const send = async () => {
    const sent = token.trim();
    if (!isSendable(sent)) throw new Error("Invalid admin token: expected printable ASCII characters without spaces.");
    onToken(sent);
  };
  return (
    <Dialog title="resource-mock">
      <p>
        This mock requires the token of its <code>--admin-token</code> flag. The tab keeps the token until you close it.
      </p>
      <Form run={send} action={action} submit="Open the dashboard">
        <div class="field">
          <label for={id}>Admin token</label>
          <input
            id={id}
            type="password"
            autocomplete="current-password"
            aria-invalid={wasRejected || action.error !== undefined}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </div>
        {wasRejected && action.error === undefined && <Failure of={{ error: "Invalid admin token." }} />}
      </Form>
    </Dialog>
  );
}
