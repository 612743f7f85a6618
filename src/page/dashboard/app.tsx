import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { ControlError } from "../../control/client/index.ts";
import { useLoaded } from "./live/loaded.ts";
import { openSession, type Session, SessionContext, useSession } from "./live/session.ts";
import { Confirmations } from "./parts/dialog.tsx";
import { Loading, Skeleton } from "./parts/loading.tsx";
import { ShortcutArea } from "./parts/shortcuts.tsx";
import { ToastArea } from "./parts/toasts.tsx";
import { Shell } from "./shell/shell.tsx";
import { isSendable, SignIn } from "./shell/sign-in.tsx";

/** The session storage key of the admin token. Session storage limits the token to this tab, as it grants full control. */
const TOKEN = "resource-mock.admin-token";

/** The dashboard: shows requests live, and has a control for each call that tests can make. */
export function App() {
  // A new object for each sign-in, so that the same token opens a new session too.
  const [access, setAccess] = useState(() => ({ token: storedToken() }));
  /** The last session whose token the mock has rejected. */
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
        <Confirmations>
          <ShortcutArea>
            <Start />
          </ShortcutArea>
        </Confirmations>
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

/** Shows the page when the mock has accepted the first call. */
function Start() {
  const { client } = useSession();
  const access = useLoaded(
    () => client.scenarios.list(),
    () => false,
  );
  if (access.value !== undefined) return <Shell />;
  // The form for the token shows the other error: an admin token that is missing or invalid.
  const isRejected = access.error instanceof ControlError && access.error.status === 401;
  return (
    <main class="starting">
      {isRejected ? (
        <Skeleton lines={8} />
      ) : (
        <Loading of={access} lines={8}>
          {() => null}
        </Loading>
      )}
    </main>
  );
}
