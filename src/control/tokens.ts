import { DEFAULT_EXPIRES_IN } from "../auth/tokens.ts";
import { serviceContract } from "../contract/service-contract.ts";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import { created, done, type ProjectHandler } from "./control.ts";
import { invalid, notFound } from "./problem.ts";
import type { Token, TokenRequest } from "./schemas.ts";

/** The names of all scopes that operations ask for. */
const scopeNames: readonly string[] = [...new Set(serviceContract.operations.flatMap(({ scopes }) => scopes))].sort();

/** The client of tokens that name none. */
const CLIENT_ID = "control-api";

export const issueToken: ProjectHandler = ({ engine, project, body }) => {
  const { scopes = scopeNames, expiresIn = DEFAULT_EXPIRES_IN, clientId = CLIENT_ID } = (body ?? {}) as TokenRequest;
  const granted = scopes.map((scope, index) => boundScope(scope, project.key, `/scopes/${index}`));
  const now = project.clock.now();
  const { token } = engine.tokens.issue({ clientId, scopes: granted, expiresIn, now, projectKey: project.key });
  const answer: Token = {
    access_token: token,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope: granted.join(" "),
  };
  return created(answer);
};

export const revokeToken: ProjectHandler = ({ engine, path: { token = "" } }) => {
  if (!engine.tokens.revoke(token)) throw notFound("This server has not issued such a token, or has forgotten it");
  return done;
};

/** `manage_test` as `manage_test:{projectKey}`; one that is bound already, to whichever project, as it is. */
function boundScope(scope: string, projectKey: string, pointer: string): string {
  const [name = ""] = scope.split(":", 1);
  if (!scopeNames.includes(name)) {
    const message = `expected one of ${scopeNames.join(", ")}, found ${shown(scope)}.${didYouMean(name, scopeNames)}`;
    throw invalid(pointer, message);
  }
  return scope === name ? `${name}:${projectKey}` : scope;
}
