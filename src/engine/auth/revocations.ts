import { MAX_REVOKED_TOKENS, ServiceError } from "../../contract/index.ts";

/** The form of tokens that this server issues: 192 random bits. Other tokens cannot be revoked. */
const tokenForm = /^[0-9a-f]{48}$/;

/** The revoked tokens of a server, until they expire. The registry forgets issued tokens, but a revoked one stays revoked. */
export class Revocations {
  /** The time at which each token has expired, in milliseconds by the server's clock. */
  readonly #ends = new Map<string, number>();

  /**
   * Adds a token, unless it is not in the form of this server's tokens. Returns whether it was added.
   *
   * @throws ServiceError LimitReached if `MAX_REVOKED_TOKENS` revoked tokens have not expired at the time `now`
   */
  add(token: string, end: number, now = end): boolean {
    if (!tokenForm.test(token)) return false;
    if (this.#ends.size >= MAX_REVOKED_TOKENS && !this.#ends.has(token)) this.#forgetExpired(now);
    this.#ends.set(token, end);
    return true;
  }

  /** Returns when a revoked token expires; undefined if the token is not revoked. */
  endOf(token: string): number | undefined {
    return this.#ends.get(token);
  }

  #forgetExpired(now: number): void {
    for (const [token, end] of this.#ends) if (end <= now) this.#ends.delete(token);
    if (this.#ends.size < MAX_REVOKED_TOKENS) return;
    const message = `Revoked tokens: expected at most ${MAX_REVOKED_TOKENS} that have not expired, found more`;
    throw new ServiceError({ code: "LimitReached", message });
  }
}
