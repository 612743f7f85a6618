import { callControl, type ProjectControl, path } from "../../../control/client/index.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { type Question, useConfirm } from "../parts/dialog.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useToasts } from "../parts/toasts.tsx";

/** The largest archive that the mock accepts, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Buttons for the project as a whole: export as an archive, and import of one. */
export function ProjectArchive({ project }: { project: string }) {
  const { connection } = useSession();
  const controls = useProject(project);
  const confirm = useConfirm();
  const toasts = useToasts();
  const importing = useAction();
  const save = async () => {
    const response = await callControl(connection, { method: "GET", path: path`/projects/${project}/archive` });
    saveFile(await response.blob(), `${project}.archive.ndjson`);
  };
  const open = (files: readonly File[]) =>
    importing.run(async () => {
      const [file] = files;
      if (!file || files.length > 1) throw new Error(`expected one archive, found ${files.length} files`);
      if (file.size > MAX_BYTES) throw new Error(`expected an archive of at most 256 MiB, found ${file.size} bytes`);
      const done = await importArchive(controls, { archive: await file.text(), name: file.name }, confirm);
      if (done !== undefined) toasts.show(done);
    });
  return (
    <>
      <Button run={save} done="Exported the project as an archive">
        Export archive
      </Button>
      <FileButton
        accept=".ndjson,application/x-ndjson"
        title="An archive of a whole project, such as that of a failed test. It replaces this project."
        isBusy={importing.isInProgress}
        onFiles={(files) => void open(files)}
      >
        Import archive…
      </FileButton>
      <Failure of={importing} />
    </>
  );
}

/** Returns whether a text is an archive. The mock validates it. */
export function isArchive(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"resource-mock-archive\//.test(text.slice(0, 1000));
}

/** Replaces the project by an archive, after a question. Returns a text for the user; undefined if the user cancels. */
export async function importArchive(
  controls: ProjectControl,
  { archive, name }: { readonly archive: string; readonly name: string },
  confirm: (question: Question) => Promise<boolean>,
): Promise<string | undefined> {
  const shortName = name.slice(0, 60);
  const question = `Replace the whole project ${controls.key} by ${shortName}? Its requests, state, settings, scenarios, rules, snapshots and tokens are deleted.`;
  if (!(await confirm({ question, yes: "Replace project" }))) return undefined;
  await controls.restoreArchive(archive);
  return `Restored the project from ${shortName}`;
}
