import { DEFAULT_EXPIRES_IN, ownerOf, projectOfScope, scopeIn, shownScopes, timesIn } from "../auth/tokens.ts";
import type { Operation } from "../contract/operation.ts";
import { sandboxOf } from "../sandbox/sandbox.ts";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import { inProject, json, noContent, problem } from "./operation.ts";
import { invalid, notFound } from "./problem.ts";
import { created, done } from "./response.ts";
import { Token, TokenRequest } from "./schemas.ts";

/** The default client of a token. */
const CLIENT_ID = "control-api";

export const tokenOperations = {
  issueToken: inProject("POST", "/tokens", {
    summary: "Issue a token for the project",
    body: TokenRequest,
    bodyIsOptional: true,
    responses: {
      201: json("The token.", Token),
      409: problem("The tokens of all projects reached their memory limit."),
    },
    handle({ engine, project, body }) {
      const known = scopeNames(engine.contract.operations);
      const { scopes = known, expiresIn = DEFAULT_EXPIRES_IN, clientId = CLIENT_ID } = body;
      const sandbox = sandboxOf(project.key);
      const granted = scopes.map((scope, index) =>
        boundScope(scope, known, { projectKey: project.key, pointer: `/scopes/${index}` }),
      );
      const issued = engine.tokens.issue({
        clientId,
        scopes: granted,
        sandbox,
        expiresIn,
        projectKey: project.key,
        now: project.clock.now(),
        nowIn: timesIn(granted, project.key, engine.timeIn),
      });
      const response: Token = {
        access_token: issued.token,
        token_type: "Bearer",
        expires_in: expiresIn,
        scope: shownScopes(issued)?.join(" ") ?? "",
      };
      return created(response);
    },
  }),

  revokeToken: inProject("DELETE", "/tokens/{token}", {
    summary: "Revoke a token of the project",
    description:
      "A token belongs to the project if the control API issued it for this project, or if the token endpoint issued it with scopes of this project only. `POST /oauth/token/revoke` revokes any token.",
    pathParameters: { token: { description: "The token.", example: "0123456789abcdef" } },
    responses: { 204: noContent },
    handle({ engine, project, path }) {
      const issued = engine.tokens.find(path.token);
      if (!issued || ownerOf(issued) !== project.key) {
        throw notFound(
          "Token not found in this project. To revoke a token of another project, use POST /oauth/token/revoke",
        );
      }
      engine.tokens.revoke(path.token);
      return done;
    },
  }),
};

/** Returns the names of all scopes that these operations require. */
function scopeNames(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ scopes }) => scopes))].sort();
}

/**
 * Returns `manage_test:{projectKey}` for `manage_test`. A scope that names a project stays unchanged; in a sandbox, it
 * names this sandbox of the project. Throws InvalidField for an unknown scope.
 */
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
  if (scope === name) return `${name}:${projectKey}`;
  return projectOfScope(scope) === projectKey ? scope : scopeIn(scope, sandboxOf(projectKey));
}
