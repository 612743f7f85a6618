import { useState } from "preact/hooks";

interface SignInProps {
  readonly onToken: (token: string) => void;
  /** Whether the token that was tried last is not the one. */
  readonly wasRefused: boolean;
}

/** Asks for the admin token, where the mock was started with one. */
export function SignIn({ onToken, wasRefused }: SignInProps) {
  const [token, setToken] = useState("");
  const send = (event: Event) => {
    event.preventDefault();
    onToken(token);
  };
  return (
    <main class="sign-in">
      <h1>resource-mock</h1>
      <p>
        This mock was started with <code>--admin-token</code>. It is kept in this tab until you close it.
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
        {wasRefused && (
          <p class="failure" role="alert">
            That is not the admin token.
          </p>
        )}
        <button type="submit">Open the dashboard</button>
      </form>
    </main>
  );
}
