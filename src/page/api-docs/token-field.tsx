import { useState } from "preact/hooks";
import type { ApiOperation } from "./document.ts";
import { callControl, useSession } from "./session.ts";

interface TokenFieldProps {
  readonly operation: ApiOperation;
  readonly projectKey: string;
}

/** The field for the bearer token of the service, with a button that issues a token for the project. */
export function TokenField({ operation: { security }, projectKey }: TokenFieldProps) {
  const { token, setToken, adminToken } = useSession();
  const [scope, setScope] = useState("");
  const [failure, setFailure] = useState<string>();
  const scopes = security.flatMap((each) => Object.values(each).flat()).map((each) => each.split(":", 1)[0] ?? each);

  const issue = async () => {
    setFailure(undefined);
    try {
      const issued = await callControl<{ access_token: string }>(
        adminToken,
        `/projects/${encodeURIComponent(projectKey)}/tokens`,
        { method: "POST", body: JSON.stringify(scope === "" ? {} : { scopes: [scope] }) },
      );
      setToken(issued.access_token);
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <div class="field">
      <label>
        <span>
          Bearer token<span class="quiet"> optional, unless the setting auth is strict</span>
        </span>
        <input
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <div class="buttons">
        <select
          aria-label="Scopes of a new token"
          value={scope}
          onChange={(event) => setScope(event.currentTarget.value)}
        >
          <option value="">all scopes</option>
          {scopes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <button type="button" onClick={() => void issue()} disabled={projectKey === ""}>
          Issue a token
        </button>
      </div>
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}
