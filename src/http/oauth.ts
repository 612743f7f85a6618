import { answerOAuth, oauthEndpoints } from "../auth/token-endpoint.ts";
import { ServiceError } from "../contract/errors.ts";
import { errorAnswer } from "../engine/answer.ts";
import type { Engine } from "../engine/engine.ts";
import { header } from "../engine/request.ts";
import { type App, incomingRequest } from "./incoming.ts";

/** A form of credentials and scopes is small; more than this is no token request. */
const MAX_FORM_BYTES = 64 * 1024;

/** Adds the OAuth endpoints, which belong to no project. */
export function addOAuth(app: App, engine: Engine): void {
  const now = (projectKey: string | undefined) =>
    (projectKey === undefined ? undefined : engine.projects.find(projectKey)?.clock.now()) ?? engine.now();
  for (const path of Object.keys(oauthEndpoints)) {
    app.post(path, async (context) => {
      const request = incomingRequest(context);
      try {
        const { status, body, headers } = answerOAuth(
          path,
          {
            authorization: header(request, "authorization"),
            contentType: header(request, "content-type"),
            body: new TextDecoder().decode(await request.readBody(MAX_FORM_BYTES)),
          },
          { tokens: engine.tokens, clients: engine.clients, now },
        );
        return body === null ? new Response(null, { status, headers }) : Response.json(body, { status, headers });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { status, headers, body } = errorAnswer(error);
        return new Response(body, { status, headers });
      }
    });
    app.all(path, () => {
      const message = "OAuth endpoints take POST";
      const { status, headers, body } = errorAnswer(
        new ServiceError({ code: "MethodNotAllowed", message }, { Allow: "POST" }),
      );
      return new Response(body, { status, headers });
    });
  }
}
