import { useEffect, useMemo, useState } from "preact/hooks";
import { useLoaded } from "./live/loaded.ts";
import { openSession, SessionContext, useSession } from "./live/session.ts";
import { Confirmations } from "./parts/dialog.tsx";
import { Loading } from "./parts/loading.tsx";
import { ShortcutArea } from "./parts/shortcuts.tsx";
import { ToastArea } from "./parts/toasts.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignIn } from "./shell/sign-in.tsx";

/** The session storage key of the admin token. Session storage limits the token to this tab, as it grants full control. */
const TOKEN = "resource-mock.admin-token";

/** The dashboard: shows requests live, and has a control for each call that tests can make. */
export function App() {
  const [adminToken, setAdminToken] = useState(() => sessionStorage.getItem(TOKEN) ?? undefined);
  /** Whether the mock requires another token. */
  const [isRejected, setRejected] = useState(false);
  const session = useMemo(() => openSession(adminToken, () => setRejected(true)), [adminToken, isRejected]);
  useEffect(() => session.live.close, [session]);

  const signIn = (token: string) => {
    sessionStorage.setItem(TOKEN, token);
    setAdminToken(token);
    setRejected(false);
  };
  if (isRejected) return <SignIn onToken={signIn} wasRejected={adminToken !== undefined} />;
  return (
    <SessionContext.Provider value={session} key={adminToken}>
      <ToastArea>
        <Confirmations>
          <ShortcutArea>
            <Start />
          </ShortcutArea>
        </Confirmations>
      </ToastArea>
    </SessionContext.Provider>
  );
}

/** Shows the page when the mock has accepted the first call. */
function Start() {
  const { client } = useSession();
  const access = useLoaded(
    () => client.scenarios.list(),
    () => false,
  );
  return (
    <Loading of={access} lines={8}>
      {() => <Shell />}
    </Loading>
  );
}
