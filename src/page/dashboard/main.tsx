import { render } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { openSession, type Session, SessionContext, useLive } from "./live/session.ts";
import { Failure, Form, Skeleton, ToastArea, useAction } from "./parts/action.tsx";
import { Dialog } from "./parts/layout.tsx";
import { Shell } from "./shell/shell.tsx";

/** The session storage key of the admin token. Session storage limits the token to this tab, as it grants full control. */
const TOKEN = "resource-mock.admin-token";

/** The dashboard: shows requests live, and has a control for each call that tests can make. */
function App() {
  // A new object for each sign-in, so that the same token opens a new session too.
  const [access, setAccess] = useState(() => ({ token: storedToken() }));
  const [rejected, setRejected] = useState<Session>();
  const session = useMemo(() => openSession(access.token, setRejected), [access]);
  useLayoutEffect(() => session.live.close, [session]);

  const signIn = (token: string) => {
    sessionStorage.setItem(TOKEN, token);
    setAccess({ token });
  };
  // The form is above the page, and does not replace it: drafts and open dialogs stay if the mock restarts with another
  // token.
  return (
    <SessionContext.Provider value={session}>
      <ToastArea>
        <Start isRejected={rejected === session} />
      </ToastArea>
      {rejected === session && <SignIn key={access} onToken={signIn} wasRejected={access.token !== undefined} />}
    </SessionContext.Provider>
  );
}

/** Returns the token that the user entered in this tab. Another page may have stored one that no header can transmit. */
function storedToken(): string | undefined {
  const token = sessionStorage.getItem(TOKEN);
  return token !== null && isSendable(token) ? token : undefined;
}

/** Shows the page, except while the mock has rejected its first calls. */
function Start({ isRejected }: { readonly isRejected: boolean }) {
  const { isConnected } = useLive();
  const wasAccepted = useRef(false);
  wasAccepted.current ||= isConnected;
  if (!isRejected || wasAccepted.current) return <Shell />;
  return (
    <main class="starting">
      <Skeleton lines={8} />
    </main>
  );
}

/** Returns whether the text has the characters of an admin token, which `--admin-token` and headers accept. */
function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The form for the admin token, shown above the page if the mock was started with `--admin-token`. */
function SignIn({ onToken, wasRejected }: { onToken: (token: string) => void; wasRejected: boolean }) {
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

const root = document.getElementById("dashboard");
if (root) render(<App />, root);
