import { type OAuthResponse, oauthEndpoints, respondToOAuth } from "../auth/token-endpoint.ts";
import { projectOfScope, scopeIn } from "../auth/tokens.ts";
import { encodingProblem } from "../call/body.ts";
import { header } from "../call/request.ts";
import { errorResponse, type ServiceResponse } from "../call/response.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Engine } from "../engine/engine.ts";
import { MAX_FORM_BYTES, MAX_SCOPES } from "../limits.ts";
import { projectKeyProblem } from "../projects/projects.ts";
import { selectedSandbox } from "../sandbox/sandbox.ts";
import { type App, type HttpContext, incomingRequest } from "./incoming.ts";
import { sendServed } from "./outgoing.ts";

/** Adds the OAuth endpoints, which belong to no project. */
export function addOAuth(app: App, engine: Engine): void {
  for (const path of Object.keys(oauthEndpoints)) {
    app.post(path, async (context) => {
      const request = incomingRequest(context);
      try {
        const encoding = encodingProblem(request);
        if (encoding) throw new ServiceError(encoding);
        const oauthRequest = {
          authorization: header(request, "authorization"),
          contentType: header(request, "content-type"),
          body: new TextDecoder().decode(await request.readBody(MAX_FORM_BYTES)),
        };
        const sandbox = selectedSandbox(request.headers)?.name;
        const oauthContext = { tokens: engine.tokens, clients: engine.clients, sandbox, now: engine.timeIn };
        const respond = () => respondToOAuth(path, oauthRequest, oauthContext);
        const keys = await projectsOfForm(engine, oauthRequest.body, sandbox);
        return send(context, toResponse(await engine.home.stepAlone(keys, respond)));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return send(context, errorResponse(error));
      }
    });
    app.all(path, (context) => {
      const message = `Method: expected POST, found ${context.req.method}`;
      return send(context, errorResponse(new ServiceError({ code: "MethodNotAllowed", message }, { Allow: "POST" })));
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

/** Sends a response of an OAuth endpoint. It has no request id, as no journal keeps it. */
function send(context: HttpContext, response: ServiceResponse): Response | Promise<Response> {
  return sendServed(context, { response, requestId: "none" });
}

function toResponse({ status, headers, body }: OAuthResponse): ServiceResponse {
  const source = status < 400 ? "state" : "error";
  if (body === null) return { status, headers, body, source };
  return { status, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body), source };
}
