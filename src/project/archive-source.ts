import { closedObject, dateTime, type FromSchema, MAX_TEXT } from "../contract/index.ts";

export const ArchiveSource = {
  ...closedObject([], {
    test: { type: "string", maxLength: MAX_TEXT, description: "The file and the name of the failed test." },
    savedAt: { ...dateTime, description: "When the archive was saved." },
  }),
  description: "The failed test that the archive shows. The libraries for tests write it.",
} as const;
export type ArchiveSource = FromSchema<typeof ArchiveSource>;

/** The archive that a project was restored from. */
export interface RestoredArchive {
  readonly source?: ArchiveSource;
  /** The path of the file, if the server opened it at its start. */
  readonly file?: string;
  /** The time of the restore by the server's clock, in milliseconds. */
  readonly restoredAt?: number;
}
