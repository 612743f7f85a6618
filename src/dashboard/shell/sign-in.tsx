import { useState } from "preact/hooks";

interface SignInProps {
  readonly onToken: (token: string) => void;
  /** Whether the mock rejected the last token. */
  readonly wasRejected: boolean;
}

/** The form for the admin token, shown if the mock was started with `--admin-token`. */
export function SignIn({ onToken, wasRejected }: SignInProps) {
  const [token, setToken] = useState("");
  const [error, setError] = useState(wasRejected ? "Invalid admin token." : undefined);
  const send = (event: Event) => {
    event.preventDefault();
    if (isHeaderValue(token)) onToken(token);
    else setError("Invalid admin token: it contains a character that an HTTP header cannot carry.");
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
        {error && (
          <p class="failure" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="primary">
          Open the dashboard
        </button>
      </form>
    </main>
  );
}

function isHeaderValue(text: string): boolean {
  try {
    new Headers({ Authorization: text });
    return true;
  } catch {
    return false;
  }
}
