import { isObject, type ServiceOperation } from "../../contract/index.ts";
import { idIn, isRead, type Reply, type Sent, versionIn } from "./messages.ts";
import { orSkipped, Skip } from "./outcome.ts";
import type { Secrets } from "./secrets.ts";

export type Created = ReturnType<typeof createCreated>;

/**
 * Remembers the resources of a run, and deletes them at its end. `prefix`: the start of the ids that the run chooses.
 */
export function createCreated(prefix: string, secrets: Secrets) {
  const ids = new Set<string>();
  /**
   * Resources whose ids the service did not show: the kind of request that created each, and the name in its content.
   */
  const hidden: { readonly kind: string; readonly name: string }[] = [];
  /** Names in the content of drafts without a reply. */
  const lost: string[] = [];

  /** Returns why a resource remains after its deletion, or undefined. */
  async function whyLeft(removal: Promise<Reply>, id: string): Promise<string | undefined> {
    const found = await orSkipped(removal, (why) => `${secrets.redact(id)}: ${why}`);
    if (typeof found === "string") return found;
    return found.isOk || found.status === 404 ? undefined : found.seen;
  }

  return {
    /** Throws Skip for a draft if the service showed no id of the resource that such a request created before. */
    ensureIdsShown(operation: ServiceOperation, sent: Sent): void {
      if (!isDraft(operation) || !hidden.some(({ kind }) => kind === kindOf(operation, sent))) return;
      throw new Skip(
        `${kindOf(operation, sent)} showed no id of its new resource, so the run creates no others with it`,
      );
    },
    /** Notes the effect of a request to an operation. `reply`: undefined if no reply arrived. */
    note(operation: ServiceOperation, sent: Sent, reply: Reply | undefined): void {
      const { id } = sent.path ?? {};
      if (isDraft(operation)) {
        const found = reply && idIn(reply);
        // A version above 1 belongs to an overwritten resource, whose id is known since its creation.
        const isNew = reply?.isOk && (operation.method === "POST" || !((versionIn(reply) ?? 1) > 1));
        if (reply?.isOk && found !== undefined) ids.add(found);
        else if (isNew) hidden.push({ kind: kindOf(operation, sent), name: nameIn(sent) });
        else if (!reply && !sent.isInvalid) lost.push(nameIn(sent));
      }
      if (id === undefined || !reply?.isOk) return;
      // Some services create a resource at the first use of its id.
      if (operation.method === "DELETE") ids.delete(id);
      else if (id.startsWith(prefix)) ids.add(id);
    },
    /** Deletes the resources of this run. Returns those that remain, with the reason. */
    async cleanUp(remove: (id: string) => Promise<Reply>): Promise<string[]> {
      const left = [...hidden.map(({ name }) => name), ...lost].map((name) => `${name}: the service returned no id`);
      for (const id of [...ids]) {
        // The second attempt is for a failure that passes, such as 503.
        const why = (await whyLeft(remove(id), id)) && (await whyLeft(remove(id), id));
        if (why !== undefined) left.push(why);
      }
      return left;
    },
  };
}

/** Returns whether the operation writes a draft of a resource. */
export function isDraft(operation: ServiceOperation): boolean {
  return operation.path === "/{projectKey}/resource" && !isRead(operation);
}

/** A service that hides the id of a valid draft can still reject invalid ones, which create nothing. */
function kindOf({ id }: ServiceOperation, { isInvalid }: Sent): string {
  return isInvalid ? `${id} with an invalid request` : id;
}

/** Returns the name of this run in a draft. */
function nameIn({ json }: Sent): string {
  const content = isObject(json) && isObject(json.objectTypeProperty) ? json.objectTypeProperty : {};
  const texts = content.arrayOfStringExample;
  return Array.isArray(texts) && typeof texts[0] === "string" ? texts[0] : "a resource without a name of the run";
}
