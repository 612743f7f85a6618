import type { ProjectControl, ResourceRecord } from "../../../control/client/index.ts";
import { isNotFound } from "../parts/action.tsx";
import { hasChanged } from "./editing.ts";

/** Deletes resources one after the other, as a call that fails must not hide which ones are gone. */
export class Deletion {
  readonly #controls: ProjectControl;
  /** The resources as they were when they were deleted. */
  readonly deleted: ResourceRecord[] = [];

  constructor(controls: ProjectControl) {
    this.#controls = controls;
  }

  /** Deletes the resources with these ids. Ignores those that do not exist. */
  async run(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#delete(id);
  }

  /** Adds the deleted resources again, with the same id, version and content. */
  async undo(): Promise<void> {
    await this.#controls.seed(this.deleted);
  }

  async #delete(id: string): Promise<void> {
    for (;;) {
      try {
        const { resource, tag } = await this.#controls.resources.getTagged(id);
        // Without the tag, an undo could restore a content that another client has changed since.
        await this.#controls.resources.delete(id, { ifMatch: tag });
        this.deleted.push(resource);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!hasChanged(error)) throw error;
      }
    }
  }
}

/** Returns "1 resource" or "3 resources". */
export function counted(count: number, noun = "resource"): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}
