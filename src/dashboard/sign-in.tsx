import { useState } from "preact/hooks";

interface SignInProps {
  readonly onToken: (token: string) => void;
  /** Whether the mock rejected the last token. */
  readonly wasRejected: boolean;
}

/** The form for the admin token, shown if the mock was started with `--admin-token`. */
export function SignIn({ onToken, wasRejected }: SignInProps) {
  const [token, setToken] = useState("");
  const send = (event: Event) => {
    event.preventDefault();
    onToken(token);
  };
  return (
    <main class="sign-in">
      <h1>resource-mock</h1>
      <p>
        This mock requires the token of its <code>--admin-token</code> flag. The tab keeps the token until you close it.
      </p>
      <form onSubmit={send}>
        <label>
          Admin token
          <input
            type="password"
            autocomplete="current-password"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {wasRejected && (
          <p class="failure" role="alert">
            Invalid admin token.
          </p>
        )}
        <button type="submit">Open the dashboard</button>
      </form>
    </main>
  );
}
