import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Api, ApiOperation } from "./document.ts";
import { Operation } from "./operation.tsx";
import type { Draft } from "./request.ts";
import { hrefOf, type Route, useRoute } from "./route.ts";
import { documents, isSendable, loadApis, SessionContext, storedToken, storeToken, useSession } from "./session.ts";
import { Method, Prose } from "./text.tsx";

/** The API reference: reads both OpenAPI documents of the mock, and sends requests to it. */
export function App() {
  const [adminToken, setAdminToken] = useState(storedToken);
  const [loaded, setLoaded] = useState<readonly Api[] | "unauthorized" | Error>();
  const load = () => {
    setLoaded(undefined);
    loadApis(adminToken).then(setLoaded, (error: unknown) =>
      setLoaded(error instanceof Error ? error : new Error(String(error))),
    );
  };
  useLayoutEffect(load, [adminToken]);

  const signIn = (token: string) => {
    storeToken(token);
    if (token === adminToken) load();
    else setAdminToken(token);
  };
  if (loaded === undefined) return <main class="message">Loading the API reference…</main>;
  if (loaded === "unauthorized") return <SignIn onToken={signIn} wasRejected={adminToken !== ""} />;
  if (loaded instanceof Error) {
    return (
      <main class="message">
        <h1>API reference</h1>
        <p class="failure" role="alert">
          The documents did not load: {loaded.message}
        </p>
        <button type="button" onClick={load}>
          Try again
        </button>
      </main>
    );
  }
  return <Reference apis={loaded} adminToken={adminToken} onSignOut={() => signIn("")} />;
}

interface SignInProps {
  readonly onToken: (token: string) => void;
  /** Whether the mock rejected the last token. */
  readonly wasRejected: boolean;
}

/** The form for the admin token, shown if the mock was started with `--admin-token`. */
function SignIn({ onToken, wasRejected }: SignInProps) {
  const [token, setToken] = useState("");
  const [isInvalid, setInvalid] = useState(wasRejected);
  const submit = (event: Event) => {
    event.preventDefault();
    if (isSendable(token)) onToken(token);
    else setInvalid(true);
  };
  return (
    <main class="message">
      <h1>API reference</h1>
      <p>
        This mock requires the token of its <code>--admin-token</code> flag. The tab keeps the token until you close it.
      </p>
      <form onSubmit={submit}>
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
        {isInvalid && (
          <p class="failure" role="alert">
            Invalid admin token.
          </p>
        )}
        <button type="submit" class="primary">
          Open the API reference
        </button>
      </form>
    </main>
  );
}

interface ReferenceProps {
  readonly apis: readonly Api[];
  readonly adminToken: string;
  readonly onSignOut: () => void;
}

function Reference({ apis, adminToken, onSignOut }: ReferenceProps) {
  const route = useRoute();
  const [token, setToken] = useState("");
  const [projectKey, setProjectKey] = useState<string>();
  const drafts = useMemo(() => new Map<`${Api["name"]}/${string}`, Draft>(), []);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const shown = route.api ? apis.filter(({ name }) => name === route.api) : apis;
  const operation = shown
    .flatMap(({ groups }) => groups.flatMap(({ operations }) => operations))
    .find(({ id }) => route.operation !== undefined && id === route.operation);
  const title = operation?.summary ?? (route.api ? shown[0]?.title : undefined) ?? "API reference";

  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    document.title = title === "API reference" ? "API reference · resource-mock" : `${title} · API reference`;
    setMenuOpen(false);
    // A screen reader reads the new page, as it does after a page load.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [route.api, route.operation]);

  return (
    <SessionContext.Provider value={{ adminToken, token, setToken, projectKey, setProjectKey, drafts }}>
      <header>
        <button type="button" class="skip" onClick={() => heading.current?.focus()}>
          Skip to the content
        </button>
        <strong>resource-mock</strong>
        <nav aria-label="API">
          <Choice route={{}} current={route}>
            Both APIs
          </Choice>
          {apis.map(({ name, title: label }) => (
            <Choice key={name} route={{ api: name }} current={route}>
              {label}
            </Choice>
          ))}
        </nav>
        <span class="space" />
        <button
          type="button"
          class="menu"
          aria-expanded={isMenuOpen}
          aria-controls="operations"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Operations
        </button>
        {adminToken !== "" && (
          <button type="button" onClick={onSignOut}>
            Forget the admin token
          </button>
        )}
        <a href="/__admin/ui">Dashboard</a>
      </header>
      <div class="columns">
        <nav id="operations" aria-label="Operations" class={isMenuOpen ? "operations open" : "operations"}>
          <Navigation apis={shown} current={operation} />
        </nav>
        <main>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {operation ? (
            <Operation operation={operation} />
          ) : (
            <>
              {route.operation !== undefined && (
                <p class="failure" role="alert">
                  Operation {route.operation} not found.
                </p>
              )}
              {shown.map((api) => (
                <Overview key={api.name} api={api} hasTitle={route.api === undefined} />
              ))}
            </>
          )}
        </main>
      </div>
    </SessionContext.Provider>
  );
}

function Choice({ route, current, children }: { route: Route; current: Route; children: preact.ComponentChildren }) {
  return (
    <a href={hrefOf(route)} aria-current={route.api === current.api ? "page" : undefined}>
      {children}
    </a>
  );
}

interface NavigationProps {
  readonly apis: readonly Api[];
  readonly current: ApiOperation | undefined;
}

/** The list of operations, with a search by name, path and method. */
function Navigation({ apis, current }: NavigationProps) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/);
  const matches = ({ id, method, path, summary }: ApiOperation) => {
    const text = `${id} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const groups = apis
    .flatMap((api) => api.groups.map((group) => ({ ...group, api, operations: group.operations.filter(matches) })))
    .filter(({ operations }) => operations.length > 0);
  return (
    <>
      <input
        type="search"
        aria-label="Search operations"
        placeholder="Search operations"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {groups.length === 0 && <p class="quiet">No matching operations.</p>}
      {groups.map(({ api, name, operations }) => (
        <div key={`${api.name}/${name}`}>
          <h2>{apis.length > 1 ? `${api.title}: ${name}` : name}</h2>
          <ul>
            {operations.map((operation) => (
              <li key={operation.id}>
                <a
                  href={hrefOf({ api: api.name, operation: operation.id })}
                  aria-current={operation === current ? "page" : undefined}
                >
                  <Method name={operation.method} /> {operation.summary}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** Shows all operations of an API with their paths. */
function Overview({ api, hasTitle }: { readonly api: Api; readonly hasTitle: boolean }) {
  return (
    <section>
      {hasTitle && <h2>{api.title}</h2>}
      {api.description && (
        <p>
          <Prose text={api.description} />
        </p>
      )}
      {/* A link cannot send the admin token. */}
      {useSession().adminToken === "" && (
        <p>
          <a href={`/__admin/${documents[api.name]}`}>OpenAPI document</a>
        </p>
      )}
      {api.groups.map(({ name, description, operations }) => (
        <div key={name}>
          {hasTitle ? <h3>{name}</h3> : <h2>{name}</h2>}
          {description && <p class="quiet">{description}</p>}
          <ul class="overview">
            {operations.map(({ id, method, path, summary }) => (
              <li key={id}>
                <a href={hrefOf({ api: api.name, operation: id })}>
                  <Method name={method} /> {summary}
                </a>
                <code class="quiet">{path}</code>
                <span class="quiet id">{id}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
