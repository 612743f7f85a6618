import type { Contract, ServiceOperation } from "../../contract/contract.ts";
import type { Check } from "../check.ts";
import { EVERY_OPERATION } from "../check.ts";
import { claim, needs, Skip } from "../outcome.ts";
import type { Service } from "../service.ts";
import { checksFor, type Definition, nameOf } from "./define.ts";
import { sendValid } from "./valid.ts";

const missing = "a missing token is 401";
const withoutScope = "a token without its scopes is 403";

/** Tokens and scopes. Most checks need credentials, as a service without them accepts anonymous requests. */
export function authChecks(contract: Contract): Check[] {
  return [
    ...contract.operations.flatMap((operation) => checksFor(contract, operation.id, ofOperation(operation))),
    ...checksFor(contract, "queryResources", [
      {
        claim: "a malformed Authorization header is 401",
        kind: "contract",
        expected: 'An Authorization header other than "Bearer <ACCESS_TOKEN>" returns 401.',
        async attempt(service) {
          const headers = { Authorization: "Bearer" };
          const { status, seen } = await service.send("queryResources", { token: null, headers });
          claim(status === 401, seen);
          return seen;
        },
      },
      {
        claim: "401 has the challenge of RFC 6750",
        row: "errors",
        expected: "A response with 401 has the header WWW-Authenticate with the scheme Bearer.",
        async attempt(service) {
          const headers = { Authorization: "Bearer" };
          const reply = await service.send("queryResources", { token: null, headers });
          needs(reply.status === 401, `401; ${reply.seen}`);
          const challenge = reply.header("WWW-Authenticate");
          claim(/^Bearer\b/i.test(challenge ?? ""), `WWW-Authenticate ${service.secrets.shown(challenge)}`);
          return "the challenge Bearer";
        },
      },
    ]),
    {
      name: "token endpoint: issues a bearer token",
      operation: EVERY_OPERATION,
      kind: "assumption",
      row: "token-endpoint",
      expected: "A client gets a token with HTTP Basic and grant_type=client_credentials (RFC 6749).",
      async attempt({ tokens, secrets }) {
        needs(tokens.hasClient, "--client and --token-url");
        const { status, body } = await tokens.request();
        const type = body.token_type;
        const seen = `${status} with token_type ${secrets.shown(type)}`;
        const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
        claim(status === 200 && isBearer && typeof body.access_token === "string", seen);
        return seen;
      },
    },
    {
      name: "token endpoint: a token without requested scope grants every scope",
      operation: EVERY_OPERATION,
      kind: "assumption",
      row: "token-scopes",
      expected: "A token that was requested without scope may read and write, and the response has no scope.",
      async attempt(service) {
        const { tokens, secrets } = service;
        needs(tokens.hasClient, "--client and --token-url");
        const { body } = await tokens.request();
        needs(typeof body.access_token === "string", "a token");
        claim(body.scope === undefined, `scope ${secrets.shown(body.scope)}`);
        const { status, seen } = await service.send("queryResources", { token: body.access_token });
        claim(status !== 401 && status !== 403, seen);
        return seen;
      },
    },
  ];
}

function ofOperation({ id, scopes }: ServiceOperation): Definition[] {
  const checks: Definition[] = [
    {
      claim: missing,
      kind: "contract",
      expected: "A request without a token returns 401.",
      async attempt(service) {
        needs(service.tokens.isKnown, "--token or --client");
        const { status, seen } = await sendValid(service, id, { token: null });
        claim(status === 401, seen);
        return seen;
      },
    },
    {
      claim: "an unknown token is 401",
      kind: "contract",
      needs: [nameOf(id, missing)],
      expected: "A bearer token that the service did not issue returns 401.",
      async attempt(service) {
        const { status, seen } = await sendValid(service, id, { token: "resource-mock-verify" });
        claim(status === 401, seen);
        return seen;
      },
    },
  ];
  if (scopes.length === 0) {
    checks.push({
      claim: "a token with any scope of the project is accepted",
      row: "any-token",
      expected: "The operation needs no scope beyond a valid token of the project.",
      async attempt(service) {
        const token = await limitedToken(service, "view_test");
        const { isOk, seen } = await sendValid(service, id, { token });
        claim(isOk, seen);
        return seen;
      },
    });
    return checks;
  }
  const other = ["view_test", "manage_products", "manage_test"].find((scope) => !scopes.includes(scope)) ?? "";
  checks.push(
    {
      claim: withoutScope,
      kind: "contract",
      needs: [nameOf(id, missing)],
      expected: `A token with the scope ${other}:{projectKey} only returns 403.`,
      async attempt(service) {
        const token = await limitedToken(service, other);
        const { status, seen } = await sendValid(service, id, { token });
        claim(status === 403, seen);
        return seen;
      },
    },
    {
      claim: "a token of another project is 403",
      kind: "contract",
      needs: [nameOf(id, missing), nameOf(id, withoutScope)],
      expected: "Scopes name their project, so a token with the scopes of another project only returns 403.",
      async attempt(service) {
        const token = await limitedToken(service, scopes[0] ?? "", `other-${service.projectKey}`);
        const { status, seen } = await sendValid(service, id, { token });
        claim(status === 403, seen);
        return seen;
      },
    },
    ...scopes.map(
      (scope): Definition => ({
        claim: `the scope ${scope} is enough`,
        kind: "contract",
        expected: `A token with the scope ${scope}:{projectKey} only is accepted.`,
        async attempt(service) {
          const token = await limitedToken(service, scope);
          const { isOk, seen } = await sendValid(service, id, { token });
          claim(isOk, seen);
          return seen;
        },
      }),
    ),
  );
  return checks;
}

/** Returns a token with one scope of a project. Throws Skip if the token endpoint does not issue it. */
async function limitedToken({ tokens, projectKey }: Service, scope: string, project = projectKey): Promise<string> {
  needs(tokens.hasClient, "--client and --token-url");
  try {
    return await tokens.issue(`${scope}:${project}`);
  } catch (error) {
    throw new Skip(`needs a token with the scope ${scope}; ${(error as Error).message}`);
  }
}
