import { type Contract, didYouMean, LAST_INSTANT, scopeNames, shown } from "../contract/index.ts";
import {
  DEFAULT_EXPIRES_IN,
  type Engine,
  type IssuedToken,
  isExpired,
  projectsOf,
  scopeIn,
  shownScopes,
} from "../engine/index.ts";
import type { Project } from "../project/index.ts";
import { sandboxOf } from "../state/index.ts";
import { created, invalid, list, notFound } from "./control-response.ts";
import { ListedToken, Token, TokenRequest } from "./control-schemas.ts";
import { inProject, json, listOf, PAGE, paging, problem } from "./define-operation.ts";

const CLIENT_ID = "control-api";

const tokensOfProject =
  "A token belongs to the project if the control API issued it for this project, or if its scopes name this project.";

export const operations = {
  listTokens: inProject("GET", "/tokens", {
    reach: "server",
    summary: "List the valid tokens of the project, newest first",
    description: `The list has no expired or revoked tokens, and shows only the first characters of each token. ${tokensOfProject}`,
    query: paging,
    responses: { 200: json("The tokens.", listOf("tokens", ListedToken)) },
    handle({ engine, project, query }) {
      const now = project.clock.now();
      const valid = [...engine.tokens.ofProject(project.key)].filter((each) => !each.revoked && !isExpired(each, now));
      const { limit = PAGE, offset = 0 } = query;
      const page = valid.reverse().slice(offset, offset + limit);
      return list("tokens", page.map(shownToken), valid.length);
    },
  }),

  issueToken: inProject("POST", "/tokens", {
    reach: "server",
    summary: "Issue a token for the project",
    body: TokenRequest,
    example: { scopes: ["manage_test"], expiresIn: 3600 },
    bodyIsOptional: true,
    responses: { 201: json("The token.", Token) },
    handle: ({ engine, project, body }) => created(issueTokenIn(engine, project, body)),
  }),

  revokeToken: inProject("DELETE", "/tokens/{token}", {
    reach: "server",
    summary: "Revoke a token of the project",
    description: `${tokensOfProject} \`POST /oauth/token/revoke\` revokes any token of the same sandbox.`,
    pathParameters: { token: { description: "The token, or its id in the list of tokens.", example: "t-1" } },
    responses: { 409: problem("Too many revoked tokens have not expired.") },
    handle({ engine, project, path }) {
      const issued = tokenIn(engine, project.key, path.token);
      const hint = "To revoke a token of another project, use POST /oauth/token/revoke";
      if (!issued) throw notFound(`Token not found in this project. ${hint}`);
      engine.tokens.revoke(issued.token, engine.now());
    },
  }),
};

/** Issues a token for the project. Throws InvalidField for an unknown scope, and for a scope of another project. */
export function issueTokenIn(engine: Engine, project: Project, request: TokenRequest): Token {
  const { contract } = engine;
  // A document does not say which scopes include others, so all of its operations accept a token without scopes.
  const all = contract.declaresAllCredentials ? scopeNames(contract) : undefined;
  const { scopes = all, expiresIn = DEFAULT_EXPIRES_IN, clientId = CLIENT_ID } = request;
  const sandbox = sandboxOf(project.key);
  const granted = scopes?.map((scope, index) => boundScope(scope, contract, project.key, `/scopes/${index}`));
  const grant = { clientId, scopes: granted, sandbox, expiresIn, projectKey: project.key };
  const issued = engine.tokens.issue(grant, engine.timeIn);
  return {
    access_token: issued.token,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope: shownScopes(issued)?.join(" ") ?? "",
  };
}

function tokenIn({ tokens }: Engine, projectKey: string, textOrId: string): IssuedToken | undefined {
  const issued = tokens.find(textOrId);
  if (issued) return issued.projectKey === projectKey ? issued : undefined;
  for (const each of tokens.ofProject(projectKey)) if (each.id === textOrId) return each;
  return undefined;
}

/** The number of characters of a token in the list, too few to guess the others. */
const SHOWN_CHARACTERS = 6;

function shownToken(issued: IssuedToken): ListedToken {
  const { id, token, clientId, issuedAt, expiresIn } = issued;
  return {
    id,
    startsWith: token.slice(0, SHOWN_CHARACTERS),
    clientId,
    scopes: [...(shownScopes(issued) ?? [])],
    issuedAt: new Date(issuedAt).toISOString(),
    expiresAt: new Date(Math.min(issuedAt + expiresIn * 1000, LAST_INSTANT)).toISOString(),
  };
}

/**
 * Returns `manage_test:{projectKey}` for `manage_test`. In a sandbox, a scope that names the project names this sandbox.
 * Throws InvalidField for an unknown scope, and for a scope of another project.
 */
function boundScope(scope: string, contract: Contract, projectKey: string, pointer: string): string {
  const known = scopeNames(contract);
  const [name = ""] = contract.scopesNameProjects ? scope.split(":", 1) : [scope];
  if (!known.includes(name)) {
    const expected = known.length === 0 ? "no scope, as the contract has none" : `one of ${known.join(", ")}`;
    throw invalid(pointer, `expected ${expected}, found ${shown(scope)}.${didYouMean(name, known)}`);
  }
  if (!contract.scopesNameProjects) return scope;
  if (scope === name) return `${name}:${projectKey}`;
  const [own] = projectsOf(contract, [scope]);
  const bound = own === projectKey ? scope : scopeIn(contract, scope, sandboxOf(projectKey));
  if (projectsOf(contract, [bound]).includes(projectKey)) return bound;
  throw invalid(pointer, `expected a scope of this project, such as ${name}, found ${shown(scope)}`);
}
