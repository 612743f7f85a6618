import { DEFAULT_EXPIRES_IN } from "../auth/tokens.ts";
import type { Operation } from "../contract/operation.ts";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import { created, done } from "./answer.ts";
import { inProject, json, nothing } from "./operation.ts";
import { invalid, notFound } from "./problem.ts";
import { Token, TokenRequest } from "./schemas.ts";

/** The client of tokens that name none. */
const CLIENT_ID = "control-api";

export const tokenOperations = {
  issueToken: inProject("POST", "/tokens", {
    summary: "Issue a token for the project",
    body: TokenRequest,
    bodyIsOptional: true,
    responses: { 201: json("The token.", Token) },
    handle({ engine, project, body }) {
      const known = scopeNames(engine.contract.operations);
      const { scopes = known, expiresIn = DEFAULT_EXPIRES_IN, clientId = CLIENT_ID } = body;
      const granted = scopes.map((scope, index) =>
        boundScope(scope, known, { projectKey: project.key, pointer: `/scopes/${index}` }),
      );
      const now = project.clock.now();
      const { token } = engine.tokens.issue({ clientId, scopes: granted, expiresIn, now, projectKey: project.key });
      const answer: Token = {
        access_token: token,
        token_type: "Bearer",
        expires_in: expiresIn,
        scope: granted.join(" "),
      };
      return created(answer);
    },
  }),

  revokeToken: inProject("DELETE", "/tokens/{token}", {
    summary: "Revoke a token",
    pathParameters: { token: { description: "The token.", example: "0123456789abcdef" } },
    responses: { 204: nothing },
    handle({ engine, path }) {
      if (!engine.tokens.revoke(path.token)) {
        throw notFound("This server has not issued such a token, or has forgotten it");
      }
      return done;
    },
  }),
};

/** The names of all scopes that these operations require. */
function scopeNames(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ scopes }) => scopes))].sort();
}

/** `manage_test` as `manage_test:{projectKey}`; one that is bound already, to whichever project, as it is. */
function boundScope(
  scope: string,
  known: readonly string[],
  { projectKey, pointer }: { projectKey: string; pointer: string },
): string {
  const [name = ""] = scope.split(":", 1);
  if (!known.includes(name)) {
    const message = `expected one of ${known.join(", ")}, found ${shown(scope)}.${didYouMean(name, known)}`;
    throw invalid(pointer, message);
  }
  return scope === name ? `${name}:${projectKey}` : scope;
}
