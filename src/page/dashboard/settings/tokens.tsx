import { useRef, useState } from "preact/hooks";
import type { TokenRequest } from "../../../control/client/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { useContract } from "../live/contract.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Form, Loading } from "../parts/action.tsx";
import { TextField } from "../parts/fields.tsx";
import { CopyButton } from "../parts/files.tsx";
import { inUnits } from "../parts/time.tsx";
import { type Duration, DurationField, millisecondsOf, type ProjectClock, useTicks } from "./clock.tsx";

/** The largest number of tokens in the table. */
const MAX_SHOWN = 200;

/** Issues tokens for a project, lists its valid tokens, and revokes them. */
export function Tokens({ clock }: { readonly clock: ProjectClock }) {
  const { tokens, key } = useProject();
  // The list has no expired tokens, so it depends on the clock too.
  const list = useLoaded(() => tokens.list(), ["tokens", "clock"]);
  useTicks(clock);
  const contract = useContract();
  const heading = useRef<HTMLHeadingElement>(null);
  const revoke = async (id: string) => {
    await tokens.revoke(id);
    // The button of this row disappears.
    heading.current?.focus();
    await list.reload();
  };
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <Loading of={contract} lines={2}>
        {(operations) => <IssueForm scopes={scopesOf(operations)} onIssued={list.reload} />}
      </Loading>
      <h3 ref={heading} tabIndex={-1}>
        Valid tokens
      </h3>
      <Loading of={list} lines={2}>
        {(issued) =>
          issued.length === 0 ? (
            <p class="quiet">No valid tokens.</p>
          ) : (
            <div class="scrolling">
              <table>
                <thead>
                  <tr>
                    <th>Token</th>
                    <th>Client</th>
                    <th>Scopes</th>
                    <th>Expires</th>
                    <th>
                      <span class="hidden">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {issued.slice(0, MAX_SHOWN).map(({ id, startsWith, clientId, scopes, expiresAt }) => (
                    <tr key={id}>
                      <td>
                        <code>{startsWith}…</code>
                      </td>
                      <td>{clientId}</td>
                      <td>
                        {scopes.map((scope) => (
                          <span key={scope} class="badge" title={scope}>
                            {scope.endsWith(`:${key}`) ? scope.slice(0, -key.length - 1) : scope}
                          </span>
                        ))}
                      </td>
                      <td title={expiresAt}>{timeLeft(Date.parse(expiresAt) - (clock.now() ?? Date.now()))}</td>
                      <td class="number">
                        <Button
                          run={() => revoke(id)}
                          kind="quiet"
                          label={`Revoke ${startsWith}`}
                          done={`The token ${startsWith}… is revoked`}
                        >
                          Revoke
                        </Button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {issued.length > MAX_SHOWN && (
                <p class="quiet">
                  The newest {MAX_SHOWN} of {issued.length.toLocaleString("en")} tokens.
                </p>
              )}
            </div>
          )
        }
      </Loading>
    </section>
  );
}

/** Returns "in 47 hours": that is more exact than "in 1 day". */
function timeLeft(milliseconds: number): string {
  if (milliseconds <= 0) return "expired";
  const hours = Math.floor(milliseconds / 3_600_000);
  return `in ${hours >= 24 && hours < 48 ? `${hours} hours` : inUnits(Math.max(milliseconds, 1000))}`;
}

interface IssueFormProps {
  readonly scopes: readonly string[];
  readonly onIssued: () => Promise<void>;
}

/** The form for a new token. The token is shown once: the mock lists only its first characters. */
function IssueForm({ scopes, onIssued }: IssueFormProps) {
  const controls = useProject();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(scopes));
  const [lifetime, setLifetime] = useState<Duration>({ amount: 2, unit: "days" });
  const [client, setClient] = useState("");
  const [token, setToken] = useState("");

  const toggle = (scope: string) => setChosen(new Set(scopes.filter((each) => (each === scope) !== chosen.has(each))));
  const issue = async () => {
    if (chosen.size === 0) throw new Error("Scopes: expected at least one, found none");
    const request: TokenRequest = {
      scopes: [...chosen],
      expiresIn: Math.round(millisecondsOf("Lifetime", lifetime) / 1000),
      ...(client.trim() && { clientId: client.trim() }),
    };
    setToken((await controls.token(request)).access_token);
    await onIssued();
  };
  return (
    <>
      <Form run={issue} submit="Issue a token" done="The token is issued">
        <fieldset class="scopes">
          <legend>Scopes</legend>
          {scopes.map((scope) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} /> {scope}
            </label>
          ))}
        </fieldset>
        <div class="bar">
          <div class="field">
            <span class="label">Lifetime</span>
            <DurationField label="Lifetime" value={lifetime} onChange={setLifetime} />
          </div>
          <TextField label="Client" value={client} placeholder="control-api" onChange={setClient} />
        </div>
      </Form>
      {token && (
        <div class="notice">
          <p>This is the only time that the token is shown.</p>
          <pre>Authorization: Bearer {token}</pre>
          <div class="bar">
            <CopyButton text={() => token}>Copy token</CopyButton>
            <CopyButton text={() => `Authorization: Bearer ${token}`}>Copy header</CopyButton>
          </div>
        </div>
      )}
    </>
  );
}

/** Returns the names of all scopes that operations of the contract require. */
function scopesOf(operations: readonly ApiOperation[]): string[] {
  const scopes = operations.flatMap(({ security }) => security.flatMap((each) => Object.values(each).flat()));
  const names = scopes.map((scope) => scope.replace(/:.*$/s, ""));
  return [...new Set(names)].sort();
}
