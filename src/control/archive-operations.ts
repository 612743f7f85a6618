import { Buffer } from "node:buffer";
import { type Contract, chunksOf, MAX_ARCHIVE_BYTES } from "../contract/index.ts";
import { contentTooLarge } from "../engine/index.ts";
import {
  ARCHIVE_TYPE,
  ArchiveLine,
  archivePieces,
  readArchive,
  refuseStateDocument,
  restoreArchive,
} from "../homes/index.ts";
import type { Project } from "../project/index.ts";
import { Fork } from "./control-schemas.ts";
import { inProject, insufficientStorage, json, onServer, problem } from "./define-operation.ts";
import { copiedProjects, projectToCopy } from "./state-operations.ts";

const format =
  'An archive is a list of lines (`application/x-ndjson`), each a JSON object with one member: `{"resource/42":[1,{…}]}`. The first line is the format, and the last one `{"end":true}`.';

export const operations = {
  exportArchive: inProject("GET", "/archive", {
    summary: "Export the whole project as an archive",
    description: `The state, images, snapshots, settings, clock, scenarios, rules with their counters, journal, coverage, and the positions in the sequences of ids and random numbers. An archive has no tokens and no functions of tests, and credentials in the journal are redacted. ${format}`,
    responses: { 200: json("The archive.", ArchiveLine, { mediaType: ARCHIVE_TYPE }) },
    handle: ({ engine, project }) => ({
      status: 200,
      headers: { "Content-Type": ARCHIVE_TYPE },
      pieces: archivePieces(project, engine.contract),
    }),
  }),

  // The call ends the project in the path, so it does not receive the project.
  restoreArchive: onServer("PUT", "/projects/{projectKey}/archive", {
    summary: "Replace the whole project by an archived one, or by a copy of another project",
    description: `The next response is the same, byte for byte, as that of the archived project would have been, also under another project key and on a server with another seed. An invalid archive, or one of another contract, changes nothing. As with a reset, requests in progress fail with 503, and tokens of the project become invalid. Snapshots are replaced too. \`{ "from": "other-project" }\` (\`application/json\`) restores an archive of the other project. ${format}`,
    lines: ArchiveLine,
    body: Fork,
    example: { from: "other-project" },
    projectsIn: copiedProjects,
    holdsState: true,
    bodyElsewhere: {
      hint: "PUT /__admin/projects/{projectKey}/state takes a state document.",
      refuse: refuseStateDocument,
    },
    responses: {
      409: problem("The rules exceed a limit for their number, memory or patterns."),
      507: insufficientStorage,
    },
    async handle({ engine, path, body }) {
      const given: Fork | Uint8Array = body;
      const bytes =
        given instanceof Uint8Array ? given : await archiveOf(projectToCopy(engine, given.from), engine.contract);
      const archive = await readArchive(bytes, { requireMemory: (needed) => engine.budget.requireMemory(needed) });
      await restoreArchive(engine, path.projectKey, archive, { restoredAt: engine.now() });
    },
  }),
};

/** Returns the archive of a project. Throws ContentTooLarge if it has more bytes than a body with an archive may have. */
async function archiveOf(project: Project, contract: Contract): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(archivePieces(project, contract))) {
    size += chunk.byteLength;
    if (size > MAX_ARCHIVE_BYTES) throw contentTooLarge("from: the archive of the project", MAX_ARCHIVE_BYTES, "more");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
