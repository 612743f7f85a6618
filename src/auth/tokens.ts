/** A token that this server gave out. The text is opaque: everything it stands for is kept here. */
export interface IssuedToken {
  readonly token: string;
  readonly clientId: string;
  /** `name:projectKey` each; undefined grants every scope of every project. */
  readonly scopes?: readonly string[];
  /** Milliseconds, by the clock of the project it was issued for. */
  readonly issuedAt: number;
  /** Seconds. */
  readonly expiresIn: number;
  revoked: boolean;
}

export interface TokenRegistry {
  issue(grant: { clientId: string; scopes?: readonly string[]; expiresIn?: number; now: number }): IssuedToken;
  find(token: string): IssuedToken | undefined;
  /** Whether there was such a token to revoke. */
  revoke(token: string): boolean;
  /** Forgets the tokens that grant something in this project and in no other. */
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
    issue({ clientId, scopes, expiresIn = DEFAULT_EXPIRES_IN, now }) {
      const token = crypto.getRandomValues(new Uint8Array(24)).reduce((text, byte) => text + hex(byte), "");
      const issued: IssuedToken = { token, clientId, scopes, issuedAt: now, expiresIn, revoked: false };
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
      for (const { token, scopes } of tokens.values()) {
        if (scopes?.every((scope) => projectOfScope(scope) === projectKey)) tokens.delete(token);
      }
    },
    clear: () => tokens.clear(),
  };
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
