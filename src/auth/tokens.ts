import { ServiceError } from "../contract/service-error.ts";
import { Revocations } from "./revocations.ts";

/** A token that this server gave out. The text is opaque: everything it stands for is kept here. */
export interface IssuedToken {
  readonly token: string;
  readonly clientId: string;
  /** `name:projectKey` each; undefined grants every scope of every project. */
  readonly scopes?: readonly string[];
  /** The project that it was issued within, if any: it is forgotten with it, whatever it grants. */
  readonly projectKey?: string;
  /** Milliseconds, by the clock of the project it was issued for; without scopes by the server's. */
  readonly issuedAt: number;
  /** The same by the clocks of the other projects that its scopes name: each has its own. */
  readonly issuedIn?: ReadonlyMap<string, number>;
  /** Seconds. */
  readonly expiresIn: number;
  revoked: boolean;
}

export interface TokenGrant extends Pick<IssuedToken, "clientId" | "scopes" | "projectKey"> {
  readonly expiresIn?: number;
  /** Milliseconds, by the clock of the project it is for; without scopes by the server's. */
  readonly now: number;
  /** The same by the clocks of other projects. */
  readonly nowIn?: ReadonlyMap<string, number>;
}

export interface TokenRegistry {
  /**
   * Issues a token. The oldest tokens of the same project are forgotten when it holds more than it may; those of other
   * projects never are. Throws LimitReached when all tokens together hold more than they may.
   */
  issue(grant: TokenGrant): IssuedToken;
  find(token: string): IssuedToken | undefined;
  /** Whether the token has been revoked, also if it has been forgotten since. */
  isRevoked(token: string): boolean;
  /** Returns whether the token is known. An unknown one, which may have been forgotten, is revoked too. */
  revoke(token: string): boolean;
  /** Forgets the tokens of this project. */
  forgetProject(projectKey: string): void;
  clear(): void;
}

/** The lifetime of a token by default: two days, as the platforms of this style give. */
export const DEFAULT_EXPIRES_IN = 172_800;

/** How many scopes a token may have, and how long a scope and the client's id may be, in UTF-16 units. */
export const MAX_SCOPES = 100;
export const MAX_SCOPE = 512;
export const MAX_CLIENT_ID = 256;

/** More tokens than this of one project, or of none, are not kept. */
const MAX_TOKENS = 50_000;

const MiB = 1024 * 1024;

/** How much memory the tokens of a project may hold, those of no project, and all together; in bytes. */
const PROJECT_BYTES = 2 * MiB;
const NO_PROJECT_BYTES = 32 * MiB;
const ALL_BYTES = 128 * MiB;

/** A token and its places in maps, by measurement; in bytes. */
const TOKEN_BYTES = 500;
const SCOPE_BYTES = 40;
const CHARACTER_BYTES = 2;

/** The tokens of a project, or those of none. Oldest first. */
interface Owned {
  readonly tokens: Set<IssuedToken>;
  bytes: number;
}

export function createTokenRegistry(): TokenRegistry {
  const byText = new Map<string, IssuedToken>();
  const owners = new Map<string | undefined, Owned>();
  const revocations = new Revocations();
  let bytes = 0;

  function forget(owned: Owned, issued: IssuedToken): void {
    byText.delete(issued.token);
    owned.tokens.delete(issued);
    owned.bytes -= sizeOf(issued);
    bytes -= sizeOf(issued);
  }

  return {
    issue({ clientId, scopes, projectKey, expiresIn = DEFAULT_EXPIRES_IN, now, nowIn }) {
      const issued: IssuedToken = {
        token: Array.from(crypto.getRandomValues(new Uint8Array(24)), hex).join(""),
        clientId: detached(clientId),
        scopes: scopes?.map(detached),
        projectKey,
        issuedAt: now,
        issuedIn: nowIn,
        expiresIn,
        revoked: false,
      };
      const size = sizeOf(issued);
      const owner = ownerOf(issued);
      const owned = owners.get(owner) ?? { tokens: new Set(), bytes: 0 };
      if (bytes - owned.bytes + size > ALL_BYTES) throw tooManyTokens();
      const limit = Math.min(owner === undefined ? NO_PROJECT_BYTES : PROJECT_BYTES, ALL_BYTES - bytes + owned.bytes);
      for (const oldest of owned.tokens) {
        if (owned.bytes + size <= limit && owned.tokens.size < MAX_TOKENS) break;
        forget(owned, oldest);
      }
      owners.set(owner, owned);
      byText.set(issued.token, issued);
      owned.tokens.add(issued);
      owned.bytes += size;
      bytes += size;
      return issued;
    },
    find: (token) => byText.get(token),
    isRevoked: (token) => byText.get(token)?.revoked ?? revocations.has(token),
    revoke(token) {
      const issued = byText.get(token);
      if (issued) issued.revoked = true;
      revocations.add(token);
      return issued !== undefined;
    },
    forgetProject(projectKey) {
      const owned = owners.get(projectKey);
      for (const issued of owned?.tokens ?? []) if (owned) forget(owned, issued);
      owners.delete(projectKey);
    },
    clear() {
      byText.clear();
      owners.clear();
      bytes = 0;
    },
  };
}

/** Returns the project that the token is kept with: the one it was issued within, or the only one that its scopes name. */
export function ownerOf({ projectKey, scopes }: IssuedToken): string | undefined {
  if (projectKey !== undefined) return projectKey;
  const first = scopes?.[0] === undefined ? undefined : projectOfScope(scopes[0]);
  return scopes?.every((scope) => projectOfScope(scope) === first) ? first : undefined;
}

/** About how much memory the token holds, in bytes; the same whenever it is called. */
function sizeOf({ clientId, scopes = [], issuedIn }: IssuedToken): number {
  const own = TOKEN_BYTES + clientId.length * CHARACTER_BYTES + (issuedIn?.size ?? 0) * SCOPE_BYTES;
  return scopes.reduce((sum, scope) => sum + SCOPE_BYTES + scope.length * CHARACTER_BYTES, own);
}

function tooManyTokens(): ServiceError {
  const message = `tokens: expected at most ${ALL_BYTES} bytes of tokens in memory, found more. Reset or close projects that are no longer used.`;
  return new ServiceError({ code: "LimitReached", message });
}

/** Copies a part of a text that was received: JavaScript would keep the whole text alive for it. */
function detached(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/**
 * Returns the times (milliseconds) by the clocks of the projects that scopes name, other than the one that the token is
 * issued for; nothing if there are none.
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
 * Whether the token has expired. `now` is the time (milliseconds) by the clock of the project, or without a project by
 * the clock that the token was issued by.
 */
export function isExpired({ issuedAt, issuedIn, expiresIn }: IssuedToken, now: number, projectKey?: string): boolean {
  const issued = (projectKey === undefined ? undefined : issuedIn?.get(projectKey)) ?? issuedAt;
  return now >= issued + expiresIn * 1000;
}

/** The project key that a scope is bound to; scope names hold no colon, project keys may. */
export function projectOfScope(scope: string): string | undefined {
  const colon = scope.indexOf(":");
  return colon === -1 ? undefined : scope.slice(colon + 1);
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
