import { useRef, useState } from "preact/hooks";
import type { ListedToken, TokenRequest } from "../../../control/client/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { useContract } from "../live/contract.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { TextField } from "../parts/fields.tsx";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";
import { type Duration, DurationField, millisecondsOf } from "./duration-field.tsx";
import { type ProjectClock, useTicks } from "./project-clock.ts";

/** The largest number of tokens in the table. */
const MAX_SHOWN = 200;

interface TokensProps {
  readonly project: string;
  readonly clock: ProjectClock;
}

/** Issues tokens for a project, lists its valid tokens, and revokes them. */
export function Tokens({ project, clock }: TokensProps) {
  const { tokens } = useProject(project);
  // The list has no expired tokens, so it depends on the clock too.
  const list = useLoaded(() => tokens.list(), on(project, "tokens", "clock"), [project]);
  useTicks(clock);
  const contract = useContract();
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <Loading of={contract} lines={2}>
        {(operations) => <IssueForm project={project} scopes={scopesOf(operations)} onIssued={list.reload} />}
      </Loading>
      <h3 ref={heading} tabIndex={-1}>
        Valid tokens
      </h3>
      <Loading of={list} lines={2}>
        {(issued) =>
          issued.length === 0 ? (
            <p class="quiet">No valid tokens.</p>
          ) : (
            <div class="table">
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
                  {issued.slice(0, MAX_SHOWN).map((token) => (
                    <TokenRow
                      key={token.id}
                      project={project}
                      token={token}
                      clock={clock}
                      revoke={async () => {
                        await tokens.revoke(token.id);
                        // The button of this row disappears.
                        heading.current?.focus();
                        await list.reload();
                      }}
                    />
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

interface TokenRowProps extends TokensProps {
  readonly token: ListedToken;
  readonly revoke: () => Promise<void>;
}

function TokenRow({ project, token: { startsWith, clientId, scopes, expiresAt }, clock, revoke }: TokenRowProps) {
  const left = Date.parse(expiresAt) - (clock.now() ?? Number.NaN);
  const own = `:${project}`;
  return (
    <tr>
      <td>
        <code class="id">{startsWith}…</code>
      </td>
      <td>{clientId}</td>
      <td>
        {scopes.map((scope) => (
          <span key={scope} class="badge scope" title={scope}>
            {scope.endsWith(own) ? scope.slice(0, -own.length) : scope}
          </span>
        ))}
      </td>
      <td title={expiresAt}>
        {left > 0 ? `in ${durationInWords(left)}` : Number.isNaN(left) ? <Time of={expiresAt} as="full" /> : "expired"}
      </td>
      <td class="number">
        <Button run={revoke} kind="quiet" label={`Revoke ${startsWith}`} done={`The token ${startsWith}… is revoked`}>
          Revoke
        </Button>
      </td>
    </tr>
  );
}

interface IssueFormProps {
  readonly project: string;
  readonly scopes: readonly string[];
  readonly onIssued: () => Promise<void>;
}

/** The form for a new token. The token is shown once: the mock lists only its first characters. */
function IssueForm({ project, scopes, onIssued }: IssueFormProps) {
  const controls = useProject(project);
  const action = useAction();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(scopes));
  const [lifetime, setLifetime] = useState<Duration>({ amount: "2", unit: "days" });
  const [client, setClient] = useState("");
  const [token, setToken] = useState("");

  const toggle = (scope: string) => setChosen(new Set(scopes.filter((each) => (each === scope) !== chosen.has(each))));
  const issue = (event: Event) => {
    event.preventDefault();
    if (action.isInProgress) return;
    void action.run(async () => {
      if (chosen.size === 0) throw new Error("Scopes: expected at least one, found none");
      const request: TokenRequest = {
        scopes: [...chosen],
        expiresIn: Math.round(millisecondsOf("Lifetime", lifetime) / 1000),
        ...(client.trim() && { clientId: client.trim() }),
      };
      setToken((await controls.token(request)).access_token);
      await onIssued();
    }, "The token is issued");
  };
  return (
    <form onSubmit={issue} noValidate>
      <fieldset class="scopes">
        <legend>Scopes</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} /> {scope}
          </label>
        ))}
      </fieldset>
      <div class="bar generate">
        <span class="bar-label">Lifetime</span>
        <DurationField label="Lifetime" value={lifetime} onChange={setLifetime} />
        <TextField label="Client" value={client} placeholder="control-api" onChange={setClient} />
        <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
          Issue a token
        </button>
        <Failure of={action} />
      </div>
      {token && (
        <div class="notice issued">
          <p>This is the only time that the token is shown.</p>
          <pre>Authorization: Bearer {token}</pre>
          <div class="bar">
            <CopyButton text={() => token}>Copy token</CopyButton>
            <CopyButton text={() => `Authorization: Bearer ${token}`}>Copy header</CopyButton>
          </div>
        </div>
      )}
    </form>
  );
}

/** Returns the names of all scopes that operations of the contract require. */
function scopesOf(operations: readonly ApiOperation[]): string[] {
  const scopes = operations.flatMap(({ security }) => security.flatMap((each) => Object.values(each).flat()));
  const names = scopes.map((scope) => scope.replace(/:.*$/s, ""));
  return [...new Set(names)].sort();
}

const durations: readonly (readonly [name: string, milliseconds: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Returns a duration in its largest unit, rounded down: "47 hours", "1 minute". Below a second, "1 second". */
function durationInWords(milliseconds: number): string {
  for (const [name, length] of durations) {
    const count = Math.floor(milliseconds / length);
    // "36 hours" is more exact than "1 day".
    if (count >= (name === "day" ? 2 : 1)) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "1 second";
}
