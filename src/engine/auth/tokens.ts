import {
  type Contract,
  detached,
  MAX_PROJECT_TOKENS,
  MAX_REVOKED_TOKENS,
  MAX_TOKENS,
  ServiceError,
  splitAt,
} from "../../contract/index.ts";
import type { PublishedEvents } from "../../journal/index.ts";
import { sandboxKey, sandboxOf } from "../../state/index.ts";

/** A token that this server has issued. The text is opaque; its properties are only here. */
export interface IssuedToken {
  readonly token: string;
  /** `t-1`, `t-2`, … in the order of issue in the project of the token. */
  readonly id: string;
  readonly clientId: string;
  /**
   * Scopes in the form `name:projectKey`; `undefined` grants every scope of every project. In a token of a sandbox, the
   * project key includes the name of the sandbox; `shownScopes` returns the scopes as clients see them.
   */
  readonly scopes?: readonly string[];
  /** The name of the sandbox that issued the token. Other sandboxes do not know the token. */
  readonly sandbox?: string;
  /**
   * The project in the scopes, or the project whose control API issued a token without scopes; `undefined` for a token of
   * every project. A reset of this project forgets the token.
   */
  readonly projectKey?: string;
  /** Milliseconds by the clock of the token's project, or else by the server's clock. */
  readonly issuedAt: number;
  /** Lifetime in seconds. */
  readonly expiresIn: number;
  revoked: boolean;
}

type Grant = Pick<IssuedToken, "clientId" | "scopes" | "sandbox" | "projectKey"> & { readonly expiresIn?: number };

/** The default lifetime of a token in seconds: two days, as on similar platforms. */
export const DEFAULT_EXPIRES_IN = 172_800;

/** The tokens of one project, or the tokens without a project. Oldest first. */
interface Owned {
  readonly tokens: Set<IssuedToken>;
  /** The number of issued tokens, including forgotten ones. */
  issued: number;
}

type TokenChange = PublishedEvents["tokens"];

/** The form of tokens that this server issues: 192 random bits. Other tokens cannot be revoked. */
const tokenForm = /^[0-9a-f]{48}$/;

/** The tokens that a server has issued. */
export class TokenRegistry {
  readonly #byText = new Map<string, IssuedToken>();
  readonly #owners = new Map<string | undefined, Owned>();
  /** When each revoked token has expired, by the server's clock. A revoked token stays revoked after it is forgotten. */
  readonly #revoked = new Map<string, number>();
  readonly #onChange: (projectKey: string, change: TokenChange) => void;
  readonly #note: (part: string) => void;

  /**
   * `onChange` is called after each issue or revocation of a token that belongs to a project, and `note` with the name of
   * each changed part: `token/{token}`, `owner/{projectKey}` (`owner` without a project), `revoked/{token}`, or `tokens`
   * (all at once).
   */
  constructor(
    onChange: (projectKey: string, change: TokenChange) => void = () => {},
    note: (part: string) => void = () => {},
  ) {
    this.#onChange = onChange;
    this.#note = note;
  }

  /**
   * Issues a token. At the limit of its project, forgets the oldest token of the project; then the oldest of all. `timeIn`
   * returns the time in milliseconds by the clock of a project; without a project, by the server's clock.
   */
  issue(grant: Grant, timeIn: (projectKey: string | undefined) => number): IssuedToken {
    const { clientId, scopes, sandbox, projectKey, expiresIn = DEFAULT_EXPIRES_IN } = grant;
    const owned = this.#ownedBy(projectKey);
    const issued: IssuedToken = {
      id: `t-${owned.issued + 1}`,
      token: Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("hex"),
      clientId: detached(clientId),
      scopes: scopes?.map(detached),
      sandbox: sandbox === undefined ? undefined : detached(sandbox),
      projectKey: projectKey === undefined ? undefined : detached(projectKey),
      issuedAt: timeIn(projectKey),
      expiresIn,
      revoked: false,
    };
    if (owned.tokens.size >= MAX_PROJECT_TOKENS) this.#forgetOldest(owned.tokens);
    if (this.#byText.size >= MAX_TOKENS) this.#forgetOldest(this.#byText.values());
    this.#owners.set(projectKey, owned);
    this.#keep(owned, issued);
    owned.issued++;
    this.#note(`token/${issued.token}`);
    this.#note(ownerPart(projectKey));
    this.#announce("issued", issued);
    return issued;
  }

  find(token: string): IssuedToken | undefined {
    return this.#byText.get(token);
  }

  /** Returns the tokens of this project, oldest first, including expired and revoked ones. */
  ofProject(projectKey: string): Iterable<IssuedToken> {
    return this.#owners.get(projectKey)?.tokens ?? [];
  }

  /** Returns whether the token was revoked and has not expired, also if the registry has forgotten it since. */
  isRevoked(token: string): boolean {
    return this.#byText.get(token)?.revoked ?? this.#revoked.has(token);
  }

  /**
   * Revokes a token, also an unknown one, as the registry may have forgotten it. `now` is the time by the server's clock,
   * in milliseconds. Returns whether the token is known. Throws LimitReached for too many revoked tokens.
   */
  revoke(token: string, now: number): boolean {
    const issued = this.#byText.get(token);
    const end = now + (issued?.expiresIn ?? DEFAULT_EXPIRES_IN) * 1000;
    if (this.#addRevoked(token, end, now)) this.#note(`revoked/${token}`);
    if (issued && !issued.revoked) {
      issued.revoked = true;
      this.#note(`token/${token}`);
      this.#announce("revoked", issued);
    }
    return issued !== undefined;
  }

  forgetProject(projectKey: string): void {
    const owned = this.#owners.get(projectKey);
    if (!owned) return;
    for (const issued of owned.tokens) {
      this.#forget(owned, issued);
      this.#note(`token/${issued.token}`);
    }
    this.#owners.delete(projectKey);
    this.#note(ownerPart(projectKey));
  }

  clear(): void {
    this.#byText.clear();
    this.#owners.clear();
    this.#note("tokens");
  }

  /** Returns the value of a part for other processes, as JSON; undefined if the part does not exist. */
  saved(part: string): unknown {
    const [kind, name] = splitAt(part);
    if (kind === "owner") return this.#owners.get(name)?.issued;
    return kind === "revoked" ? this.#revoked.get(name ?? "") : this.find(name ?? "");
  }

  /** Takes over a part that another process has changed. Does not call `onChange` and `note`. */
  restore(part: string, saved: unknown): void {
    const [kind, name] = splitAt(part);
    if (kind === "revoked") {
      if (saved !== undefined) this.#addRevoked(name ?? "", saved as number);
    } else if (kind === "owner") {
      if (saved === undefined) this.#owners.delete(name);
      else this.#ownedBy(name).issued = saved as number;
    } else {
      const known = this.find(name ?? "");
      const issued = saved as IssuedToken | undefined;
      // Nothing else of a token changes, and it keeps its place in the order.
      if (known && issued) known.revoked = issued.revoked;
      else if (issued) this.#keep(this.#ownedBy(issued.projectKey), issued);
      else if (known) this.#forget(this.#ownedBy(known.projectKey), known);
    }
  }

  #ownedBy(owner: string | undefined): Owned {
    let owned = this.#owners.get(owner);
    if (!owned) {
      owned = { tokens: new Set(), issued: 0 };
      this.#owners.set(owner, owned);
    }
    return owned;
  }

  #keep(owned: Owned, issued: IssuedToken): void {
    this.#byText.set(issued.token, issued);
    owned.tokens.add(issued);
  }

  #forget(owned: Owned, issued: IssuedToken): void {
    this.#byText.delete(issued.token);
    owned.tokens.delete(issued);
  }

  #forgetOldest([oldest]: Iterable<IssuedToken>): void {
    if (!oldest) return;
    const owner = oldest.projectKey;
    const owned = this.#ownedBy(owner);
    this.#forget(owned, oldest);
    this.#note(`token/${oldest.token}`);
    if (owned.tokens.size > 0) return;
    this.#owners.delete(owner);
    this.#note(ownerPart(owner));
  }

  #announce(change: TokenChange["change"], { projectKey, id }: IssuedToken): void {
    if (projectKey !== undefined) this.#onChange(projectKey, { change, id });
  }

  /** Adds a revoked token. Returns whether it has the form of this server's tokens. Throws LimitReached. */
  #addRevoked(token: string, end: number, now = end): boolean {
    if (!tokenForm.test(token)) return false;
    const revoked = this.#revoked;
    if (revoked.size >= MAX_REVOKED_TOKENS && !revoked.has(token)) {
      for (const [other, ended] of revoked) if (ended <= now) revoked.delete(other);
      if (revoked.size >= MAX_REVOKED_TOKENS) {
        const message = `Revoked tokens: expected at most ${MAX_REVOKED_TOKENS} that have not expired, found more`;
        throw new ServiceError({ code: "LimitReached", message });
      }
    }
    revoked.set(token, end);
    return true;
  }
}

function ownerPart(owner: string | undefined): string {
  return owner === undefined ? "owner" : `owner/${owner}`;
}

/** Returns whether the token has expired. `now` is the time in milliseconds by the clock of `issuedAt`. */
export function isExpired({ issuedAt, expiresIn }: IssuedToken, now: number): boolean {
  return now >= issuedAt + expiresIn * 1000;
}

/** How the scopes of a contract are written. */
type ScopeForm = Pick<Contract, "scopesNameProjects">;

/** Returns the different project keys in scopes. A token has scopes of one project at most. */
export function projectsOf({ scopesNameProjects }: ScopeForm, scopes: readonly string[] = []): string[] {
  if (!scopesNameProjects) return [];
  // Scope names contain no colon, but project keys may.
  return [...new Set(scopes.flatMap((scope) => splitAt(scope, ":")[1] ?? []))];
}

/** Returns the scope as a token of the sandbox has it: `manage_test:shop~t1` for `manage_test:shop` in the sandbox `t1`. */
export function scopeIn(form: ScopeForm, scope: string, sandbox: string | undefined): string {
  return sandbox === undefined || projectsOf(form, [scope]).length === 0 ? scope : sandboxKey(scope, sandbox);
}

/** Returns the scopes of a token as clients see them, with plain project keys; undefined for every scope. */
export function shownScopes({ scopes, sandbox }: IssuedToken): readonly string[] | undefined {
  if (sandbox === undefined) return scopes;
  const end = sandboxKey("", sandbox);
  return scopes?.map((scope) => (scope.endsWith(end) ? scope.slice(0, -end.length) : scope));
}

/**
 * Returns whether requests in this sandbox know the token; `undefined` is a plain project. A sandbox knows the tokens that
 * it has issued, tokens whose scopes name its project key (`manage_test:shop~t1`), and tokens of plain projects without
 * scopes.
 */
export function isKnownIn({ scopes, sandbox: issuer, projectKey }: IssuedToken, sandbox: string | undefined): boolean {
  if (issuer !== undefined || sandbox === undefined) return issuer === sandbox;
  return scopes === undefined || projectKey === undefined || sandboxOf(projectKey) === sandbox;
}
