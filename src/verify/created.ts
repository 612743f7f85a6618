import type { ServiceOperation } from "../contract/contract.ts";
import { isObject } from "../text/json.ts";
import { Skip } from "./outcome.ts";
import { idIn, type Reply } from "./reply.ts";
import { isRead, type Sent } from "./requests.ts";
import type { Secrets } from "./secrets.ts";

/** Remembers the resources of a run, and deletes them at its end. */
export interface Created {
  /** Notes the effect of a request to an operation. `reply`: undefined if no reply arrived. */
  note(operation: ServiceOperation, sent: Sent, reply: Reply | undefined): void;
  /** Deletes the resources of this run. Returns those that remain, with the reason. */
  cleanUp(remove: (id: string) => Promise<Reply>): Promise<string[]>;
}

/** `prefix`: the start of the ids that the run chooses itself. */
export function createCreated(prefix: string, secrets: Secrets): Created {
  const ids = new Set<string>();
  /** Names in the content of resources whose ids are unknown. */
  const unidentified: string[] = [];
  return {
    note(operation, sent, reply) {
      const { id } = sent.path ?? {};
      const isDraft = operation.path === "/{projectKey}/resource" && !isRead(operation);
      if (isDraft && (!reply || reply.isOk)) {
        const found = reply && idIn(reply);
        if (found !== undefined) ids.add(found);
        else unidentified.push(nameIn(sent));
      }
      if (id === undefined || !reply?.isOk) return;
      // Some services create a resource at the first use of its id.
      if (operation.method === "DELETE") ids.delete(id);
      else if (id.startsWith(prefix)) ids.add(id);
    },
    async cleanUp(remove) {
      /** Returns why the resource remains, or undefined if it is deleted. */
      const removed = async (id: string): Promise<string | undefined> => {
        try {
          const { isOk, status, seen } = await remove(id);
          return isOk || status === 404 ? undefined : seen;
        } catch (error) {
          if (!(error instanceof Skip)) throw error;
          return `${secrets.redact(id)}: ${error.message}`;
        }
      };
      const left = unidentified.map((name) => `${name}: the service returned no id`);
      for (const id of [...ids]) {
        // The second attempt is for a failure that passes, such as 503.
        const why = (await removed(id)) && (await removed(id));
        if (why !== undefined) left.push(why);
      }
      return left;
    },
  };
}

/** Returns the name of this run in a draft. */
function nameIn({ json }: Sent): string {
  const content = isObject(json) && isObject(json.objectTypeProperty) ? json.objectTypeProperty : {};
  const texts = content.arrayOfStringExample;
  return Array.isArray(texts) && typeof texts[0] === "string" ? texts[0] : "a resource without a name of the run";
}
