import {
  errorBody,
  MAX_FORM_BYTES,
  MAX_SCOPES,
  methodNotAllowed,
  ServiceError,
  tokenOperation,
} from "../contract/index.ts";
import {
  type Engine,
  encodingProblem,
  errorResponse,
  oauthEndpoints,
  projectsOf,
  respondToOAuth,
  scopeIn,
  serve,
} from "../engine/index.ts";
import { projectKeyProblem, TOKEN_PROJECT } from "../project/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import { sandboxOf, selectedSandbox } from "../state/index.ts";
import { type App, type HttpContext, incomingRequest } from "./incoming.ts";
import { sendServed, sendUnrecorded } from "./outgoing.ts";

/** Adds the OAuth endpoints. Rules and the journal know the token endpoint as the operation `token` of a project. */
export function addOAuth(app: App, engine: Engine): void {
  for (const path of Object.keys(oauthEndpoints)) {
    app.post(path, (context) => serveOAuth(engine, context, undefined, path));
    app.all(path, (context) =>
      sendUnrecorded(context, tokenErrorResponse(methodNotAllowed(context.req.method, "POST"))),
    );
  }
}

/** Returns the response of an OAuth endpoint. `projectKey` is the project in the path of a token request, if it has one. */
export async function serveOAuth(
  engine: Engine,
  context: HttpContext,
  projectKey?: string,
  path = tokenOperation.path,
): Promise<Response> {
  const endpoint = oauthEndpoints[path];
  if (!endpoint) throw new TypeError(`no endpoint has the path ${path}`);
  const request = incomingRequest(context);
  try {
    const encoding = encodingProblem(request);
    if (encoding) throw new ServiceError(encoding);
    const bytes = await request.readBody(MAX_FORM_BYTES);
    const body = new TextDecoder().decode(bytes);
    const selected = selectedSandbox(request.headers);
    const sandbox = selected?.name;
    const respond = () =>
      respondToOAuth(endpoint, engine, request, body, { sandbox, ...(projectKey && { projectKey }) });
    const named = await projectOfForm(engine, body, sandbox);
    if (path !== tokenOperation.path) {
      const keys = named === undefined ? [] : [named];
      return sendUnrecorded(context, await engine.home.stepAlone(keys, respond));
    }
    const key = named ?? projectKey ?? projectOfSandbox(engine, sandbox);
    const addressed = { operation: tokenOperation, path: {}, sandbox: selected, endpoint: { bytes, respond } };
    return sendServed(context, await serve(engine, key, addressed, request));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return sendUnrecorded(context, tokenErrorResponse(error));
  }
}

/** Returns the response for an error of an endpoint, in the form of the mock: no contract describes these endpoints. */
function tokenErrorResponse(error: ServiceError): ServiceResponse {
  return errorResponse({ errorBody, operations: [] }, error);
}

/** Returns the key of the project in the scopes of a request, or of the token that it names. */
async function projectOfForm({ tokens, home, contract }: Engine, body: string, sandbox: string | undefined) {
  const form = new URLSearchParams(body);
  const token = form.get("token");
  const scopes = form.get("scope")?.split(" ").slice(0, MAX_SCOPES) ?? [];
  const bound = scopes.map((scope) => scopeIn(contract, scope, sandbox));
  const [requested] = projectsOf(contract, bound);
  const key = token === null ? requested : await home.stepAlone([], () => tokens.find(token)?.projectKey ?? requested);
  return key === undefined || projectKeyProblem(key) !== undefined ? undefined : key;
}

/** Returns the project of a token request without a project in its scopes: the only project of its sandbox, or `oauth`. */
function projectOfSandbox({ projects }: Engine, sandbox: string | undefined): string {
  if (sandbox === undefined) return TOKEN_PROJECT;
  const keys = Array.from(projects.all(), ({ key }) => key).filter((key) => sandboxOf(key) === sandbox);
  return keys.length === 1 && keys[0] !== undefined ? keys[0] : TOKEN_PROJECT;
}
