import type { ProjectControl, RecordDraft, StateDocument } from "../../../control/client/index.ts";
import type { Question } from "../parts/dialog.tsx";
import { parsedLines } from "../parts/json-text.ts";
import { importArchive, isArchive } from "./archive.tsx";
import { counted } from "./deletion.ts";

/** Returns the resources in parsed JSON values: single ones, lists, and those of an exported state. */
export function resourcesIn(values: readonly unknown[]): RecordDraft[] {
  return values.flatMap((value) => (isState(value) ? value.resources : value)) as RecordDraft[];
}

function isState(value: unknown): value is StateDocument {
  return typeof value === "object" && value !== null && "resources" in value && Array.isArray(value.resources);
}

/** What an import has done, for the user. */
export interface Imported {
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
}

/**
 * Imports a file. An exported state replaces the state, after `protect` has made it possible to undo that. An archive
 * replaces the whole project, after a question. Resources (JSON or NDJSON) and images are added. Throws JsonError for
 * invalid JSON.
 *
 * @param protect returns a function that restores the state; undefined if the user cancels
 */
export async function importFile(
  controls: ProjectControl,
  file: File,
  protect: () => Promise<(() => Promise<unknown>) | undefined>,
  confirm: (question: Question) => Promise<boolean>,
): Promise<Imported | undefined> {
  const name = file.name.slice(0, 60);
  if (file.type.startsWith("image/")) {
    await controls.images.add({ contentType: file.type, filename: file.name, base64: await base64Of(file) });
    return { text: `Added the image ${name}` };
  }
  const content = await file.text();
  if (isArchive(content)) {
    const text = await importArchive(controls, { archive: content, name }, confirm);
    return text === undefined ? undefined : { text };
  }
  const values = parsedLines(content);
  const [first] = values;
  if (values.length === 1 && isState(first)) {
    const undo = await protect();
    if (!undo) return undefined;
    await controls.state.import(first);
    return { text: `Imported ${counted(first.resources.length)} from ${name}`, undo };
  }
  const added = await controls.seed(resourcesIn(values));
  return { text: `Added ${counted(added.length)} from ${name}` };
}

/** Returns the bytes of a file in base64. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error("The browser cannot read the file"));
    reader.readAsDataURL(file);
  });
}
