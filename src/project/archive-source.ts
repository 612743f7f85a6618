import { closedObject, dateTime, type FromSchema, MAX_TEXT, type Schema } from "../contract/index.ts";
import { Instant } from "./clock.ts";

export const ArchiveSource = {
  ...closedObject([], {
    test: { type: "string", maxLength: MAX_TEXT, description: "The file and the name of the failed test." },
    savedAt: { ...dateTime, description: "When the archive was saved." },
  }),
  description: "The failed test that the archive shows. The libraries for tests write it.",
} as const;
export type ArchiveSource = FromSchema<typeof ArchiveSource>;

export const RestoredArchive = {
  ...closedObject([], {
    source: ArchiveSource,
    file: { type: "string", description: "The path of the file, if the server opened it at its start." },
    restoredAt: { ...Instant, description: "The time of the restore by the server's clock." },
  }),
  description: "The archive that the project was restored from.",
} as const satisfies Schema;
export type RestoredArchive = Readonly<FromSchema<typeof RestoredArchive>>;
