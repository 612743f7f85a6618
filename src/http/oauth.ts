import { MAX_FORM_BYTES, MAX_SCOPES, ServiceError, tokenOperation } from "../contract/index.ts";
import {
  type Engine,
  encodingProblem,
  errorResponse,
  oauthEndpoints,
  projectOfScope,
  respondToOAuth,
  scopeIn,
  serve,
} from "../engine/index.ts";
import { projectKeyProblem, TOKEN_PROJECT } from "../project/index.ts";
import { sandboxOf, selectedSandbox } from "../state/index.ts";
import { type App, incomingRequest } from "./incoming.ts";
import { sendServed, sendUnrecorded } from "./outgoing.ts";

/** Adds the OAuth endpoints. Rules and the journal know the token endpoint as the operation `token` of a project. */
export function addOAuth(app: App, engine: Engine): void {
  for (const [path, endpoint] of Object.entries(oauthEndpoints)) {
    app.post(path, async (context) => {
      const request = incomingRequest(context);
      try {
        const encoding = encodingProblem(request);
        if (encoding) throw new ServiceError(encoding);
        const bytes = await request.readBody(MAX_FORM_BYTES);
        const body = new TextDecoder().decode(bytes);
        const selected = selectedSandbox(request.headers);
        const sandbox = selected?.name;
        const respond = () => respondToOAuth(endpoint, engine, request, body, sandbox);
        const keys = await projectsOfForm(engine, body, sandbox);
        if (path !== tokenOperation.path) return sendUnrecorded(context, await engine.home.stepAlone(keys, respond));
        const [key = projectOfSandbox(engine, sandbox)] = keys;
        const token = { projectKeys: [...new Set([key, ...keys])], bytes, respond };
        const addressed = { operation: tokenOperation, path: {}, sandbox: selected, endpoint: token };
        return sendServed(context, await serve(engine, key, addressed, request));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return sendUnrecorded(context, errorResponse(error));
      }
    });
    app.all(path, (context) => {
      const message = `Method: expected POST, found ${context.req.method}`;
      const error = new ServiceError({ code: "MethodNotAllowed", message }, { Allow: "POST" });
      return sendUnrecorded(context, errorResponse(error));
    });
  }
}

/** Returns the keys of the projects in the scopes of a request, or of the token that it names: their clocks are needed. */
async function projectsOfForm({ tokens, home }: Engine, body: string, sandbox: string | undefined): Promise<string[]> {
  const form = new URLSearchParams(body);
  const requested = (form.get("scope")?.split(" ") ?? []).slice(0, MAX_SCOPES).map((scope) => scopeIn(scope, sandbox));
  const token = form.get("token");
  const granted = token === null ? [] : await home.stepAlone([], () => tokens.find(token)?.scopes ?? []);
  const keys = [...requested, ...granted].map(projectOfScope).filter((key) => key !== undefined);
  return [...new Set(keys)].filter((key) => projectKeyProblem(key) === undefined);
}

/** Returns the project of a token request without a project in its scopes: the only project of its sandbox, or `oauth`. */
function projectOfSandbox({ projects }: Engine, sandbox: string | undefined): string {
  if (sandbox === undefined) return TOKEN_PROJECT;
  const keys = Array.from(projects.all(), ({ key }) => key).filter((key) => sandboxOf(key) === sandbox);
  return keys.length === 1 && keys[0] !== undefined ? keys[0] : TOKEN_PROJECT;
}
