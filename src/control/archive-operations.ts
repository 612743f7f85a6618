import {
  ARCHIVE_TYPE,
  ArchiveLine,
  archivePieces,
  readArchive,
  refuseStateDocument,
  restoreArchive,
} from "../homes/index.ts";
import { streamOf } from "./control-response.ts";
import { Fork } from "./control-schemas.ts";
import { inProject, insufficientStorage, json, onServer, problem } from "./define-operation.ts";
import { copiedProjects, projectToCopy } from "./named-projects.ts";

const format =
  'An archive is a list of lines (`application/x-ndjson`), each a JSON object with one member: `{"resource/42":[1,{…}]}`. The first line is the format, and the last one `{"end":true}`.';

export const operations = {
  exportArchive: inProject("GET", "/archive", {
    summary: "Export the whole project as an archive",
    description: `The state, images, snapshots, settings, clock, scenarios, rules with their counters, journal, coverage, and the positions in the sequences of ids and random numbers. An archive has no tokens and no functions of tests, and credentials in the journal are redacted. ${format}`,
    responses: { 200: json("The archive.", ArchiveLine, { mediaType: ARCHIVE_TYPE }) },
    handle: ({ project }) => ({
      status: 200,
      headers: { "Content-Type": ARCHIVE_TYPE },
      pieces: archivePieces(project),
    }),
  }),

  // The call ends the project in the path, so it does not receive the project.
  restoreArchive: onServer("PUT", "/projects/{projectKey}/archive", {
    summary: "Replace the whole project by an archived one, or by a copy of another project",
    description: `The next response is the same, byte for byte, as that of the archived project would have been, also under another project key and on a server with another seed. An invalid archive changes nothing. As with a reset, requests in progress fail with 503, and tokens of the project become invalid. Snapshots are replaced too. \`{ "from": "other-project" }\` (\`application/json\`) restores an archive of the other project. ${format}`,
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
      const lines = "from" in body ? archivePieces(projectToCopy(engine, body.from)) : undefined;
      const bytes = lines ? await new Response(streamOf(lines)).bytes() : (body as Uint8Array);
      const archive = await readArchive(bytes, { requireMemory: (needed) => engine.budget.requireMemory(needed) });
      await restoreArchive(engine, path.projectKey, archive, { restoredAt: engine.now() });
    },
  }),
};
