import { detached, MAX_PROJECT_TOKENS, MAX_TOKENS } from "../../contract/index.ts";
import { sandboxKey, sandboxOf } from "../../state/index.ts";
import { Revocations } from "./revocations.ts";

/** A token that this server has issued. The text is opaque; its properties are only here. */
export interface IssuedToken {
  readonly token: string;
  /** `t-1`, `t-2`, … in the order of issue in the token's project (see `ownerOf`). */
  readonly id: string;
  readonly clientId: string;
  /**
   * Scopes in the form `name:projectKey`; `undefined` grants every scope of every project. In a token of a sandbox, the
   * project key includes the name of the sandbox; `shownScopes` returns the scopes as clients see them.
   */
  readonly scopes?: readonly string[];
  /** The name of the sandbox that issued the token. Other sandboxes do not know the token. */
  readonly sandbox?: string;
  /** The project whose control API issued the token, if any. A reset of this project forgets the token. */
  readonly projectKey?: string;
  /** Milliseconds by the clock of the token's project; for a token without scopes, by the server's clock. */
  readonly issuedAt: number;
  /** The same instant by the clocks of the other projects in `scopes`, by project key. */
  readonly issuedIn?: ReadonlyMap<string, number>;
  /** Lifetime in seconds. */
  readonly expiresIn: number;
  revoked: boolean;
}

interface TokenGrant extends Pick<IssuedToken, "clientId" | "scopes" | "sandbox" | "projectKey"> {
  readonly expiresIn?: number;
  /** Milliseconds by the clock of the token's project; for a token without scopes, by the server's clock. */
  readonly now: number;
  /** The same instant by the clocks of the other projects in `scopes`, by project key. */
  readonly nowIn?: ReadonlyMap<string, number>;
}

export interface TokenRegistry {
  /** Issues a token. At the limit of its project, forgets the oldest token of the project; then the oldest of all. */
  issue(grant: TokenGrant): IssuedToken;
  find(token: string): IssuedToken | undefined;
  /** Returns the tokens of this project (see `ownerOf`), oldest first, including expired and revoked ones. */
  ofProject(projectKey: string): Iterable<IssuedToken>;
  /** Returns whether the token was revoked and has not expired, also if the registry has forgotten it since. */
  isRevoked(token: string): boolean;
  /**
   * Revokes a token, also an unknown one, as the registry may have forgotten it. `now` is the time by the server's clock,
   * in milliseconds. Returns whether the token is known. Throws LimitReached for too many revoked tokens.
   */
  revoke(token: string, now: number): boolean;
  /** Forgets the tokens of this project. */
  forgetProject(projectKey: string): void;
  clear(): void;
  /** Returns the value of a part for other processes, as JSON; undefined if the part does not exist. */
  saved(part: string): unknown;
  /** Takes over a part that another process has changed. Does not call `onChange` and `note`. */
  restore(part: string, saved: unknown): void;
}

/** A token as JSON. */
type SavedToken = Omit<IssuedToken, "issuedIn"> & { readonly issuedIn?: readonly (readonly [string, number])[] };

/** The default lifetime of a token in seconds: two days, as on similar platforms. */
export const DEFAULT_EXPIRES_IN = 172_800;

/** The tokens of one project, or the tokens without a project. Oldest first. */
interface Owned {
  readonly tokens: Set<IssuedToken>;
  /** The number of issued tokens, including forgotten ones. */
  issued: number;
}

/** A change of a project's tokens. */
interface TokenChange {
  readonly change: "issued" | "revoked";
  /** The id of the token. */
  readonly id: string;
}

/**
 * Creates a registry. Calls `onChange` after each issue or revocation of a token that belongs to a project, and `note` with
 * the name of each changed part: `token/{token}`, `owner/{projectKey}` (`owner` without a project), `revoked/{token}`, or
 * `tokens` (all at once).
 */
export function createTokenRegistry(
  onChange?: (projectKey: string, change: TokenChange) => void,
  note?: (part: string) => void,
): TokenRegistry {
  const byText = new Map<string, IssuedToken>();
  const owners = new Map<string | undefined, Owned>();
  const revocations = new Revocations();

  function ownedBy(owner: string | undefined): Owned {
    let owned = owners.get(owner);
    if (!owned) {
      owned = { tokens: new Set(), issued: 0 };
      owners.set(owner, owned);
    }
    return owned;
  }

  function keep(owned: Owned, issued: IssuedToken): void {
    byText.set(issued.token, issued);
    owned.tokens.add(issued);
  }

  function forget(owned: Owned, issued: IssuedToken): void {
    byText.delete(issued.token);
    owned.tokens.delete(issued);
  }

  /** Forgets the oldest of these tokens, if they are as many as the limit. */
  function makeRoom(tokens: Iterable<IssuedToken>, isFull: boolean): void {
    const [oldest] = isFull ? tokens : [];
    if (!oldest) return;
    const owner = ownerOf(oldest);
    const owned = ownedBy(owner);
    forget(owned, oldest);
    note?.(`token/${oldest.token}`);
    if (owned.tokens.size > 0) return;
    owners.delete(owner);
    note?.(ownerPart(owner));
  }

  function announce(change: TokenChange["change"], issued: IssuedToken): void {
    const owner = ownerOf(issued);
    if (owner !== undefined) onChange?.(owner, { change, id: issued.id });
  }

  return {
    issue({ clientId, scopes, sandbox, projectKey, expiresIn = DEFAULT_EXPIRES_IN, now, nowIn }) {
      const owner = ownerOf({ projectKey, scopes });
      const owned = ownedBy(owner);
      const issued: IssuedToken = {
        id: `t-${owned.issued + 1}`,
        token: Array.from(crypto.getRandomValues(new Uint8Array(24)), hex).join(""),
        clientId: detached(clientId),
        scopes: scopes?.map(detached),
        sandbox: sandbox === undefined ? undefined : detached(sandbox),
        projectKey,
        issuedAt: now,
        issuedIn: nowIn,
        expiresIn,
        revoked: false,
      };
      makeRoom(owned.tokens, owned.tokens.size >= MAX_PROJECT_TOKENS);
      makeRoom(byText.values(), byText.size >= MAX_TOKENS);
      owners.set(owner, owned);
      keep(owned, issued);
      owned.issued++;
      note?.(`token/${issued.token}`);
      note?.(ownerPart(owner));
      announce("issued", issued);
      return issued;
    },
    find: (token) => byText.get(token),
    ofProject: (projectKey) => owners.get(projectKey)?.tokens ?? [],
    isRevoked: (token) => byText.get(token)?.revoked ?? revocations.endOf(token) !== undefined,
    revoke(token, now) {
      const issued = byText.get(token);
      const end = now + (issued?.expiresIn ?? DEFAULT_EXPIRES_IN) * 1000;
      if (revocations.add(token, end, now)) note?.(`revoked/${token}`);
      if (issued && !issued.revoked) {
        issued.revoked = true;
        note?.(`token/${token}`);
        announce("revoked", issued);
      }
      return issued !== undefined;
    },
    forgetProject(projectKey) {
      const owned = owners.get(projectKey);
      if (!owned) return;
      for (const issued of owned.tokens) {
        forget(owned, issued);
        note?.(`token/${issued.token}`);
      }
      owners.delete(projectKey);
      note?.(`owner/${projectKey}`);
    },
    clear() {
      byText.clear();
      owners.clear();
      note?.("tokens");
    },
    saved(part) {
      const [kind, name] = partOf(part);
      if (kind === "owner") return owners.get(name)?.issued;
      if (kind === "revoked") return revocations.endOf(name ?? "");
      const issued = byText.get(name ?? "");
      return issued && { ...issued, issuedIn: issued.issuedIn && [...issued.issuedIn] };
    },
    restore(part, saved) {
      const [kind, name] = partOf(part);
      if (kind === "revoked") {
        if (saved !== undefined) revocations.add(name ?? "", saved as number);
      } else if (kind === "owner") {
        if (saved === undefined) owners.delete(name);
        else ownedBy(name).issued = saved as number;
      } else {
        const known = byText.get(name ?? "");
        if (known && saved === undefined) forget(ownedBy(ownerOf(known)), known);
        if (saved === undefined) return;
        const { issuedIn, ...issued } = saved as SavedToken;
        // Nothing else of a token changes, and it keeps its place in the order.
        if (known) known.revoked = issued.revoked;
        else keep(ownedBy(ownerOf(issued)), { ...issued, issuedIn: issuedIn && new Map(issuedIn) });
      }
    },
  };
}

function ownerPart(owner: string | undefined): string {
  return owner === undefined ? "owner" : `owner/${owner}`;
}

/** Returns the kind and the name in the name of a part. */
function partOf(part: string): [kind: string, name: string | undefined] {
  const slash = part.indexOf("/");
  return slash === -1 ? [part, undefined] : [part.slice(0, slash), part.slice(slash + 1)];
}

/** Returns the project that holds the token: the project that issued it, or the only project in its scopes. */
export function ownerOf({ projectKey, scopes }: Pick<IssuedToken, "projectKey" | "scopes">): string | undefined {
  if (projectKey !== undefined) return projectKey;
  const first = scopes?.[0] === undefined ? undefined : projectOfScope(scopes[0]);
  return scopes?.every((scope) => projectOfScope(scope) === first) ? first : undefined;
}

/**
 * Returns the times in milliseconds by the clocks of the projects in `scopes`, except the project `issuedFor`. Returns
 * `undefined` if the scopes name no other project.
 */
export function timesIn(
  scopes: readonly string[],
  issuedFor: string | undefined,
  timeIn: (projectKey: string) => number,
): ReadonlyMap<string, number> | undefined {
  const others = new Map<string, number>();
  for (const scope of scopes) {
    const key = projectOfScope(scope);
    if (key !== undefined && key !== issuedFor && !others.has(key)) others.set(key, timeIn(key));
  }
  return others.size > 0 ? others : undefined;
}

/**
 * Returns whether the token has expired. `now` is the time in milliseconds by the clock of the project; without a project,
 * by the clock of `issuedAt`.
 */
export function isExpired({ issuedAt, issuedIn, expiresIn }: IssuedToken, now: number, projectKey?: string): boolean {
  const issued = (projectKey === undefined ? undefined : issuedIn?.get(projectKey)) ?? issuedAt;
  return now >= issued + expiresIn * 1000;
}

/** Returns the project key in a scope. Scope names contain no colon, but project keys may. */
export function projectOfScope(scope: string): string | undefined {
  const colon = scope.indexOf(":");
  return colon === -1 ? undefined : scope.slice(colon + 1);
}

/** Returns the scope as a token of the sandbox has it: `manage_test:shop~t1` for `manage_test:shop` in the sandbox `t1`. */
export function scopeIn(scope: string, sandbox: string | undefined): string {
  return sandbox === undefined || projectOfScope(scope) === undefined ? scope : sandboxKey(scope, sandbox);
}

/** Returns the scopes of a token as clients see them, with plain project keys; undefined for every scope. */
export function shownScopes({ scopes, sandbox }: IssuedToken): readonly string[] | undefined {
  if (sandbox === undefined) return scopes;
  return scopes?.map((scope) => (projectOfScope(scope) === undefined ? scope : scope.slice(0, -sandbox.length - 1)));
}

/**
 * Returns whether requests in this sandbox know the token; `undefined` is a plain project. A sandbox knows the tokens that
 * it has issued, tokens whose scopes name its project key (`manage_test:shop~t1`), and tokens of plain projects without
 * scopes.
 */
export function isKnownIn({ scopes, sandbox: issuer }: IssuedToken, sandbox: string | undefined): boolean {
  if (issuer !== undefined || sandbox === undefined) return issuer === sandbox;
  return scopes?.some((scope) => sandboxOf(projectOfScope(scope) ?? "") === sandbox) ?? true;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
