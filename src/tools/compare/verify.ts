import { checksOf } from "./checks.ts";
import { connect, NoResponse } from "./http.ts";
import { EVERY_OPERATION, type VerifyOptions } from "./options.ts";
import { type Report, reportOf } from "./report.ts";
import { type Result, runChecks } from "./run.ts";
import { createSecrets } from "./secrets.ts";
import { createService } from "./service.ts";
import { createTokens } from "./tokens.ts";

export type { VerifyOptions } from "./options.ts";

export interface Verification {
  readonly report: Report;
  readonly results: readonly Result[];
  /** The resources that could not be deleted, with the reason. */
  readonly leftOver: readonly string[];
}

/** The run cannot start. The message says why. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/** Verifies a service. Throws CannotStart if it is unreachable, or if no token can be had. */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { contract, upstream, project, only } = options;
  const secrets = createSecrets(options.credentials);
  const tokens = createTokens(options, secrets);
  const startedAt = new Date().toISOString();
  await connect(upstream, options).catch((error: Error) => {
    const isUntrusted = /certificate|CERT|self-signed/i.test(error.message);
    const hint = isUntrusted ? "; --upstream-ca FILE trusts another authority" : "";
    throw new CannotStart(`${upstream.origin} is unreachable: ${error.message}${hint}`);
  });
  await tokens.main().catch((error: Error) => {
    const reason = error instanceof NoResponse ? "the token endpoint is unreachable: " : "";
    throw new CannotStart(reason + error.message);
  });
  const service = createService(options, tokens, secrets);
  // The checks that judge all responses also judge those to single operations.
  const checks = checksOf(contract).filter(
    ({ operation, observes }) => !only || (operation === EVERY_OPERATION ? observes : only.includes(operation)),
  );
  try {
    const results = await runChecks(checks, service, options);
    const leftOver = await service.cleanUp();
    const report = reportOf({ upstream: upstream.href.replace(/\/$/, ""), project, startedAt }, results);
    return { report, results, leftOver };
  } catch (error) {
    await service.cleanUp();
    throw error;
  }
}
