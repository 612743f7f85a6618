import { randomUUID } from "node:crypto";
import type { Contract } from "../contract/contract.ts";
import { checksOf } from "./checks.ts";
import { connect, NoResponse, type Target } from "./http.ts";
import { type Report, reportOf } from "./report.ts";
import { type Check, EVERY_OPERATION, type Result, runChecks } from "./run.ts";
import { createSecrets } from "./secrets.ts";
import { createService } from "./service.ts";
import { type Credentials, createTokens } from "./tokens.ts";

export interface VerifyOptions {
  readonly contract: Contract;
  /** The base address of the service, without credentials. The paths of the interface follow it. */
  readonly upstream: URL;
  readonly project: string;
  readonly credentials?: Credentials;
  /** Certificates of the authorities to trust, as PEM. */
  readonly ca?: string;
  /** The time for each response, in milliseconds. */
  readonly timeout: number;
  /** Starts the time for a response. `setTimeout` by default. */
  readonly startTimer?: Target["startTimer"];
  /** The number of checks at a time. */
  readonly jobs: number;
  readonly readOnly?: boolean;
  /** The ids of the operations to check; undefined checks all. */
  readonly only?: readonly string[];
  readonly resourceId?: string;
  readonly resourceKey?: string;
  /** After this signal, no further check starts. The resources of the run are still deleted. */
  readonly signal?: AbortSignal;
  /** Receives each result as soon as it is known, and the number of all checks. */
  readonly onResult?: (result: Result, total: number) => void;
}

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
  const { contract, upstream, project, credentials, readOnly = false, signal, onResult } = options;
  const { ca, timeout, startTimer } = options;
  const target: Target = { url: upstream, ca, timeout, startTimer };
  const secrets = createSecrets();
  if (credentials && "token" in credentials) secrets.add(credentials.token);
  if (credentials && "client" in credentials) secrets.addClient(credentials.client);
  const tokens = createTokens(credentials, target, secrets);
  const startedAt = new Date().toISOString();
  await ensureReachable(target);
  try {
    await tokens.main();
  } catch (error) {
    if (error instanceof NoResponse) throw new CannotStart(`the token endpoint is unreachable: ${error.message}`);
    throw new CannotStart((error as Error).message);
  }
  const service = createService({
    contract,
    target,
    projectKey: project,
    tokens,
    secrets,
    readOnly,
    resourceId: options.resourceId,
    resourceKey: options.resourceKey,
    run: randomUUID().slice(0, 8),
    signal,
  });
  const checks = selected(checksOf(contract), options.only);
  try {
    const results = await runChecks(checks, service, {
      jobs: options.jobs,
      readOnly,
      signal,
      onResult: (result) => onResult?.(result, checks.length),
    });
    const leftOver = await service.cleanUp();
    const report = reportOf({ upstream: upstream.href.replace(/\/$/, ""), project, startedAt }, results);
    return { report, results, leftOver };
  } catch (error) {
    await service.cleanUp();
    throw error;
  }
}

/** Returns the checks of some operations, and those that judge all responses. */
function selected(checks: readonly Check[], only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return checks;
  return checks.filter(({ operation, observes }) =>
    operation === EVERY_OPERATION ? observes : only.includes(operation),
  );
}

async function ensureReachable(target: Target): Promise<void> {
  try {
    await connect(target);
  } catch (error) {
    const { message } = error as Error;
    const hint = /certificate|CERT|self-signed/i.test(message) ? "; --upstream-ca FILE trusts another authority" : "";
    throw new CannotStart(`${target.url.origin} is unreachable: ${message}${hint}`);
  }
}
