/** A token that this server gave out. The text is opaque: everything it stands for is kept here. */
export interface IssuedToken {
  readonly token: string;
  readonly clientId: string;
  /** `name:projectKey` each; undefined grants every scope of every project. */
  readonly scopes?: readonly string[];
  /** The project that it was issued within, if any: it is forgotten with it, whatever it grants. */
  readonly projectKey?: string;
  /** Milliseconds, by the clock of the project it was issued for. */
  readonly issuedAt: number;
  /** Seconds. */
  readonly expiresIn: number;
  revoked: boolean;
}

export interface TokenGrant extends Pick<IssuedToken, "clientId" | "scopes" | "projectKey"> {
  readonly expiresIn?: number;
  /** Milliseconds, by the clock of the project it is for. */
  readonly now: number;
}

export interface TokenRegistry {
  issue(grant: TokenGrant): IssuedToken;
  find(token: string): IssuedToken | undefined;
  /** Whether there was such a token to revoke. */
  revoke(token: string): boolean;
  /** Forgets the tokens that were issued within this project, or outside of any for what it alone grants. */
  forgetProject(projectKey: string): void;
  clear(): void;
}

/** What a token lives for when nobody says otherwise: two days, as the platforms of this style give. */
export const DEFAULT_EXPIRES_IN = 172_800;

/** More than this many tokens, and the oldest are forgotten: a suite that asks for one a request stays bounded. */
const MAX_TOKENS = 50_000;

export function createTokenRegistry(): TokenRegistry {
  const tokens = new Map<string, IssuedToken>();
  return {
    issue({ clientId, scopes, projectKey, expiresIn = DEFAULT_EXPIRES_IN, now }) {
      const token = crypto.getRandomValues(new Uint8Array(24)).reduce((text, byte) => text + hex(byte), "");
      const issued: IssuedToken = { token, clientId, scopes, projectKey, issuedAt: now, expiresIn, revoked: false };
      tokens.set(token, issued);
      if (tokens.size > MAX_TOKENS) {
        const [oldest] = tokens.keys();
        if (oldest !== undefined) tokens.delete(oldest);
      }
      return issued;
    },
    find: (token) => tokens.get(token),
    revoke(token) {
      const issued = tokens.get(token);
      if (issued) issued.revoked = true;
      return issued !== undefined;
    },
    forgetProject(projectKey) {
      for (const issued of tokens.values()) {
        if (belongsTo(issued, projectKey)) tokens.delete(issued.token);
      }
    },
    clear: () => tokens.clear(),
  };
}

function belongsTo({ projectKey, scopes }: IssuedToken, key: string): boolean {
  if (projectKey !== undefined) return projectKey === key;
  return scopes?.every((scope) => projectOfScope(scope) === key) ?? false;
}

/** Whether the token's time is over, on a clock that shows `now` (milliseconds). */
export function isExpired({ issuedAt, expiresIn }: IssuedToken, now: number): boolean {
  return now >= issuedAt + expiresIn * 1000;
}

/** The project key that a scope is bound to; scope names hold no colon, project keys may. */
export function projectOfScope(scope: string): string | undefined {
  const colon = scope.indexOf(":");
  return colon === -1 ? undefined : scope.slice(colon + 1);
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
