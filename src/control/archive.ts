import { archivePieces, restoreArchive, schemaFor } from "../archive/archive.ts";
import { ArchiveDocument, archiveLists } from "../archive/document.ts";
import { inProject, insufficientStorage, json, noContent, onServer, problem } from "./operation.ts";
import { done } from "./response.ts";

export const archiveOperations = {
  exportArchive: inProject("GET", "/archive", {
    summary: "Export the whole project as an archive",
    description:
      "The state, images, snapshots, settings, clock, scenarios, rules with their counters, journal, coverage, and the positions in the sequences of ids and random numbers. An archive has no tokens and no functions of tests, and credentials in the journal are redacted.",
    responses: { 200: json("The archive.", ArchiveDocument) },
    handle: async ({ project }) => ({ status: 200, pieces: await archivePieces(project) }),
  }),

  // The call ends the project in the path, so it does not receive the project.
  restoreArchive: onServer("PUT", "/projects/{projectKey}/archive", {
    summary: "Replace the whole project by an archived one",
    description:
      "The next response is the same, byte for byte, as that of the archived project would have been, also under another project key and on a server with another seed. An invalid archive changes nothing. As with a reset, requests in progress fail with 503, and tokens of the project become invalid. Snapshots are replaced too.",
    body: ArchiveDocument,
    example: {
      format: "resource-mock-archive/1",
      core: {
        origin: { seed: "0", projectKey: "my-project" },
        clock: { offset: 0 },
        requests: 0,
        errors: 0,
        violations: 0,
        stubbed: 0,
        requestIds: 0,
        forgotten: 0,
        uses: [],
      },
      settings: {},
      rules: { scenarios: [], rules: [], added: 0, periods: [] },
      coverage: { operations: [], violations: [], otherViolations: 0 },
      state: { resources: [], deleted: { ids: [], keys: [] }, images: [], numbered: 0 },
      snapshots: [],
      journal: [],
    },
    shapeOf: schemaFor,
    lists: archiveLists,
    responses: {
      204: noContent,
      409: problem("The rules exceed a limit for their number, memory or patterns."),
      507: insufficientStorage,
    },
    async handle({ engine, path, body }) {
      await restoreArchive(engine, path.projectKey, body, { restoredAt: engine.now() });
      return done;
    },
  }),
};
