import { useEffect, useMemo, useState } from "preact/hooks";
import { ControlError } from "../client/control-error.ts";
import { Failure } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { Overview } from "./overview.tsx";
import { Project } from "./project.tsx";
import { ProjectList } from "./project-list.tsx";
import { hrefOf, useRoute } from "./route.ts";
import { openSession, SessionContext, useConnected, useSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";

/** The session storage key of the admin token. Session storage limits the token to this tab, as it grants full control. */
const TOKEN = "resource-mock.admin-token";

/** The dashboard: shows requests live, and has a control for each call that tests can make. */
export function App() {
  const [adminToken, setAdminToken] = useState(() => sessionStorage.getItem(TOKEN) ?? undefined);
  const session = useMemo(() => openSession(adminToken), [adminToken]);
  useEffect(() => session.live.close, [session]);

  const signIn = (token: string) => {
    sessionStorage.setItem(TOKEN, token);
    setAdminToken(token);
  };
  return (
    <SessionContext.Provider value={session} key={adminToken}>
      <Guarded onToken={signIn} />
    </SessionContext.Provider>
  );
}

/** Shows the page if the mock accepts the admin token, and the form for the token otherwise. */
function Guarded({ onToken }: { onToken: (token: string) => void }) {
  const { client, connection } = useSession();
  const access = useLoaded(
    () => client.scenarios.list(),
    () => false,
  );
  if (access.error instanceof ControlError && access.error.status === 401) {
    return <SignIn onToken={onToken} wasRejected={connection.adminToken !== undefined} />;
  }
  return access.value ? <Page /> : <Failure of={access} />;
}

function Page() {
  const { project, part, item } = useRoute();
  useEffect(() => {
    document.title = project === undefined ? "resource-mock" : `${project} · resource-mock`;
  }, [project]);
  return (
    <>
      <Header />
      <ProjectList selected={project} />
      <main>
        {project === undefined ? <Overview /> : <Project key={project} project={project} part={part} item={item} />}
      </main>
    </>
  );
}

function Header() {
  const { client, connection } = useSession();
  const isConnected = useConnected();
  const health = useLoaded(
    () => client.health(),
    () => false,
  );
  return (
    <header>
      <a class="name" href={hrefOf({})}>
        resource-mock
      </a>
      <span class="quiet">{health.value?.version}</span>
      <span class="connection" role="status" data-connected={isConnected}>
        {isConnected ? "live" : "not connected"}
      </span>
      {/* A link cannot carry the admin token. */}
      {connection.adminToken === undefined && (
        <nav aria-label="API documents">
          <a href="/__admin/contract.json">Contract</a>
          <a href="/__admin/openapi.json">Control API</a>
        </nav>
      )}
    </header>
  );
}
