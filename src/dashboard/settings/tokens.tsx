import { useState } from "preact/hooks";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";

/** Issues tokens for a project. */
export function Tokens({ project }: { project: string }) {
  const controls = useProject(project);
  const action = useAction();
  const [scopes, setScopes] = useState("");
  const [token, setToken] = useState("");
  const issue = (event: Event) => {
    event.preventDefault();
    const named = scopes.split(/\s+/).filter(Boolean);
    void action.run(async () => {
      const { access_token } = await controls.token(named.length > 0 ? { scopes: named } : undefined);
      setToken(access_token);
    });
  };
  return (
    <section>
      <h2>Tokens</h2>
      <form class="bar" onSubmit={issue}>
        <input
          aria-label="Scopes of a new token"
          placeholder="all scopes, or view_test …"
          value={scopes}
          onInput={(event) => setScopes(event.currentTarget.value)}
        />
        <button type="submit" disabled={action.isInProgress}>
          Issue a token
        </button>
      </form>
      <Failure of={action} />
      {token && <pre>Authorization: Bearer {token}</pre>}
    </section>
  );
}
