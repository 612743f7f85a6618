import { challenge } from "../auth/authorize.ts";
import { type Call, fixtureOf } from "../call/call.ts";
import type { ServiceResponse } from "../call/response.ts";
import type { ErrorBody } from "../contract/service-error.ts";
import type { Fixture } from "../fixtures/fixture-set.ts";
import { shortHash } from "../projects/random.ts";
import type { Respond } from "../scenarios/scenario.ts";
import { isObject } from "../text/json.ts";
import type { PreferredStub } from "./steering.ts";

/** The answer of a rule or scenario that comes instead of the operation's own. */
export function stubResponse(call: Call, respond: Respond, source: string): ServiceResponse {
  const { status, headers } = respond;
  if ("body" in respond) {
    return assembled(call, { status, value: respond.body, text: JSON.stringify(respond.body), headers, source });
  }
  return assembled(call, { ...fixtureFor(call, status, respond.fixture), headers, source });
}

/** The answer that the request's Prefer header asks for. */
export async function preferredResponse(call: Call, preferred: PreferredStub): Promise<ServiceResponse> {
  const { status, example, dynamic } = preferred;
  if (dynamic) return generatedResponse(call, status, dynamic.seed);
  const fixture = fixtureFor(call, status, example);
  return assembled(call, { ...fixture, source: `fixture:${fixture.path}` });
}

/** The variant's value and text. A version conflict names the versions of this request instead of the fixture's. */
function fixtureFor(
  call: Call,
  status: number,
  example: string | undefined,
): Pick<Fixture, "status" | "value" | "text" | "path"> {
  const fixture = variantOf(call, status, example);
  const sent = isObject(call.json?.value) ? call.json.value.version : undefined;
  const errors = isObject(fixture.value) ? fixture.value.errors : undefined;
  const isConflict = Array.isArray(errors) && errors.some((each) => each?.code === "ConcurrentModification");
  if (!isConflict || !Number.isSafeInteger(sent)) return fixture;
  const value = conflictOf(fixture.value as ErrorBody, sent as number);
  return { value, text: JSON.stringify(value), status, path: fixture.path };
}

/** Returns the error of a request that has sent a version which another client has just made stale. */
function conflictOf(body: ErrorBody, sent: number): ErrorBody {
  const actual = sent + 1;
  const told = (message: string) => message.replace(/expected \d+, actual \d+/, `expected ${sent}, actual ${actual}`);
  const errors = body.errors.map((each) =>
    each.code === "ConcurrentModification" ? { ...each, message: told(each.message), currentVersion: actual } : each,
  );
  return { ...body, message: told(body.message), errors };
}

/** The variant, which may have gone since the rule was checked: then the status's own fixture. */
function variantOf(call: Call, status: number, example: string | undefined): Fixture {
  return call.engine.fixtures.get(call.operation.id, status, example) ?? fixtureOf(call, status);
}

/** An answer made up from the contract's schema: the same for the same seed. */
async function generatedResponse(call: Call, status: number, seedText: string | undefined): Promise<ServiceResponse> {
  const { operation, project, settings, decisions } = call;
  const seed = seedText === undefined ? Math.floor(project.random() * 2 ** 32) : seedOf(seedText);
  const { generateBody } = await import("../generate/response.ts");
  const value = await generateBody(operation, status, seed, settings.collection);
  decisions.push(`the answer was generated: Prefer: code=${status}, dynamic=true, seed=${seed} gives it again`);
  return assembled(call, { status, value, text: JSON.stringify(value), source: "generated" });
}

/** A number below 2^32 as it is; any other text by its hash. */
function seedOf(text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  return number < 2 ** 32 ? number : Number.parseInt(shortHash(text), 16);
}

interface Parts {
  readonly status: number;
  readonly value: unknown;
  readonly text: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly source: string;
}

/** The whole answer: the headers that the operation declares for the status have a value, unless the rule gives one. */
function assembled(call: Call, { status, value, text, headers: given, source }: Parts): ServiceResponse {
  const { schema, headers: declared = {} } = call.operation.responses[status] ?? {};
  const headers: Record<string, string> = schema ? { "Content-Type": "application/json" } : {};
  for (const name in declared) {
    const header = declaredHeaders[name];
    if (header) headers[name] = header(call, value, status);
  }
  for (const name in given) {
    // Names are told apart in any case, and an answer has each once.
    const same = Object.keys(headers).find((other) => other.toLowerCase() === name.toLowerCase());
    if (same !== undefined) delete headers[same];
    headers[name] = given[name] ?? "";
  }
  return { status, headers, body: schema ? text : null, source };
}

type HeaderValue = (call: Call, body: unknown, status: number) => string;

/** The values of headers that the contract declares. */
const declaredHeaders: Readonly<Record<string, HeaderValue>> = {
  /** The resource that would have been written. Like any id, it is created from the fixture when it is requested. */
  Location: ({ project }) => `/${encodeURIComponent(project.key.toWellFormed())}/resource/${project.stubbedId()}`,
  /** Seconds. */
  "Retry-After": () => "1",
  "WWW-Authenticate": ({ operation, project }, body, status) => {
    const { error, error_description, message } = isObject(body) ? body : {};
    return challenge({
      error: typeof error === "string" ? error : status === 401 ? "invalid_token" : "insufficient_scope",
      message: String(error_description ?? message ?? operation.responses[status]?.description),
      scope: status === 403 ? operation.scopes.map((scope) => `${scope}:${project.key}`).join(" ") : undefined,
    });
  },
};
