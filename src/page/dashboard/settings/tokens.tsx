import { useRef, useState } from "preact/hooks";
import type { ApiOperation } from "../api/document.ts";
import { useContract, useLoaded, useProject } from "../live/session.ts";
import { Button, Form, Loading } from "../parts/action.tsx";
import { CopyButton } from "../parts/files.tsx";
import { inUnits } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { type ProjectClock, useTicks } from "./clock.tsx";

/** The newest tokens that the list has. */
const MAX_SHOWN = 200;

/** Issues tokens for a project, lists the valid ones, and revokes them. */
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
        {(operations) => <Issue scopes={scopesOf(operations)} onIssued={list.reload} />}
      </Loading>
      <h3 ref={heading} tabIndex={-1}>
        Valid tokens
      </h3>
      <Loading of={list} lines={2} none={<p class="quiet">No valid tokens.</p>}>
        {(issued) => (
          <ul class="plain items" aria-label="Valid tokens">
            {issued.slice(0, MAX_SHOWN).map(({ id, startsWith, clientId, scopes, expiresAt }) => (
              <li key={id}>
                <div class="item-text">
                  <p>
                    <code>{startsWith}…</code> {clientId}
                  </p>
                  <p class="quiet" title={expiresAt}>
                    {scopes.map((scope) => scope.replace(`:${key}`, "")).join(", ")} · expires{" "}
                    {timeLeft(Date.parse(expiresAt) - (clock.now() ?? Date.now()))}
                  </p>
                </div>
                <Button
                  run={() => revoke(id)}
                  kind="quiet"
                  label={`Revoke ${startsWith}`}
                  done={`The token ${startsWith}… is revoked`}
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

/** Returns "in 47 hours": that is more exact than "in 1 day". */
function timeLeft(milliseconds: number): string {
  if (milliseconds <= 0) return "now";
  const hours = Math.floor(milliseconds / 3_600_000);
  return `in ${hours >= 24 && hours < 48 ? `${hours} hours` : inUnits(Math.max(milliseconds, 1000))}`;
}

/** Issues a token with the chosen scopes, and shows it once: the mock lists only its first characters. */
function Issue({ scopes, onIssued }: { readonly scopes: readonly string[]; readonly onIssued: () => Promise<void> }) {
  const controls = useProject();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(scopes));
  const [token, setToken] = useState("");
  const toggle = (scope: string) => setChosen(new Set(scopes.filter((each) => (each === scope) !== chosen.has(each))));
  const issue = async () => {
    if (chosen.size === 0) throw new Error("Scopes: expected at least one, found none");
    setToken((await controls.token({ scopes: [...chosen] })).access_token);
    await onIssued();
  };
  return (
    <>
      <p class="quiet">
        Requests need a token if the setting auth is strict. A token is valid for two days;{" "}
        <a href={hrefOf({ project: controls.key, view: "api", item: "issueToken" })}>the API view</a> issues one for
        another time or client.
      </p>
      <Form run={issue} submit="Issue a token" done="The token is issued">
        <fieldset class="scopes">
          <legend>Scopes</legend>
          {scopes.map((scope) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} /> {scope}
            </label>
          ))}
        </fieldset>
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
