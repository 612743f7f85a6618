import {
  type Contract,
  cachedBy,
  cut,
  type ErrorDetail,
  invalidField,
  isObject,
  type JsonBounds,
  join,
  MAX_ARCHIVE_LINES,
  MAX_JSON_MEMBERS,
  MAX_PROBLEMS,
  MAX_TEXT,
  readJson,
  ServiceError,
  shown,
  TimeSlice,
} from "../../contract/index.ts";
import { type Engine, refusedBody } from "../../engine/index.ts";
import { type Exchange, mostSets, noCoverage } from "../../journal/index.ts";
import {
  type ArchiveSource,
  coverageOf,
  type Project,
  type ProjectValue,
  type RestoredArchive,
  shortHash,
} from "../../project/index.ts";
import { ActiveRules } from "../../rules/index.ts";
import { identity, type State } from "../../state/index.ts";
import { buildProject } from "./build-project.ts";
import {
  ARCHIVE_FORMAT,
  type ArchivedContract,
  boundsOf,
  lineProblem,
  type SavedCore,
  type Table,
} from "./line-schemas.ts";
import { type Line, linesOf, portable, repositioned } from "./lines.ts";

/** The media type of an archive: JSON values in lines. */
export const ARCHIVE_TYPE = "application/x-ndjson";

/**
 * Returns a whole project as the text of an archive, a piece for each line. Later changes of the project do not change it.
 * It contains no tokens, and credentials in the journal are redacted.
 */
export function* archivePieces(project: Project, contract: Contract): Generator<string> {
  const { archive, ...archived } = portable(project.share(), project.activeForAll);
  const options = { activeForAll: ActiveRules.none, isPublic: true };
  const source: Line[] = archive?.source ? [["source", archive.source]] : [];
  const lines = linesOf({ ...archived, archive: undefined }, options);
  yield* linePieces(firstLines(contract, source), lines);
}

export function firstLines(contract: Contract, others: readonly Line[]): Line[] {
  return [["format", ARCHIVE_FORMAT], ["contract", archivedContract(contract)], ...others];
}

export const archivedContract = cachedBy(
  ({ info: { title, version }, operations, types }: Contract): ArchivedContract => {
    const facts = [
      operations.map(({ id, method, path, role }) => [id, method, path, role]),
      types.map(({ name, path, kind, scope, id, version }) => [name, path, kind, scope, id, version]),
    ];
    const named = { title: cut(title, MAX_TEXT), ...(version !== undefined && { version: cut(version, MAX_TEXT) }) };
    return { ...named, fingerprint: shortHash(JSON.stringify(facts)) };
  },
);

/** An archive of another service. */
export class OtherContract extends ServiceError {}

/**
 * Throws OtherContract if the contract of the archive has another title. If only its operations or types differ, the document
 * has changed: items of types that no longer exist are kept, but not served.
 */
function requireContract({ contract: archived }: Archive, contract: Contract): void {
  const own = archivedContract(contract);
  if (!archived || archived.fingerprint === own.fingerprint || archived.title === own.title) return;
  const hint = "Start the server with the contract of the archive.";
  const message = `expected an archive of ${shown(own.title)}, found one of ${shown(archived.title)}. ${hint}`;
  throw new OtherContract(invalidField("/contract", message));
}

/** Returns whether the bytes start as an archive does, of any version. */
export function isArchive(bytes: Uint8Array): boolean {
  return firstMember(bytes) === "format";
}

/** The members that a state document can begin with. */
const STATE_MEMBERS = ["$schema", "collections", "resources", "deleted", "images", "lastWritten", "numbered"];

/** Throws InvalidField if the bytes start as a state document does. */
export function refuseStateDocument(bytes: Uint8Array): void {
  if (!STATE_MEMBERS.includes(firstMember(bytes) ?? "")) return;
  const hint = "PUT /__admin/projects/{projectKey}/state takes a state document.";
  throw new ServiceError(invalidField("", `expected an archive, found a state document. ${hint}`));
}

/** Returns the name of the first member, if the bytes start as a JSON object with members does. */
function firstMember(bytes: Uint8Array): string | undefined {
  return /^\s*\{\s*"([^"]*)"\s*:/.exec(new TextDecoder().decode(bytes.subarray(0, 4096)))?.[1];
}

/** Returns the text of lines, each as a piece, and a last line that says that they are complete. */
export function* linePieces(...groups: readonly Iterable<Line>[]): Generator<string> {
  for (const lines of groups) for (const line of lines) yield textOf(line);
  yield textOf(["end", true]);
}

function textOf([name, value]: Line): string {
  return `{${JSON.stringify(name)}:${JSON.stringify(value ?? null)}}\n`;
}

/** The lines of an archive, which are valid by their schemas. */
export interface Archive {
  readonly lines: readonly Line[];
  /** The key of the project, if the archive is the file of a project. */
  readonly key: string | undefined;
  readonly source: ArchiveSource | undefined;
  readonly contract: ArchivedContract | undefined;
  /** The project key that ids, random numbers and generated data come from. */
  readonly originKey: string;
}

/**
 * Returns the archive in a text. Lines after the last complete `end` are left out with `isFile`: a server was killed while
 * it wrote them. Otherwise, they are an error. Reads and validates in time slices. Calls `requireMemory` before each
 * line with the memory that its values can take, in bytes.
 *
 * @throws ServiceError InvalidJsonInput, InvalidInput and InvalidField for the first invalid line, by its number
 */
export async function readArchive(
  bytes: Uint8Array,
  { isFile = false, requireMemory }: { isFile?: boolean; requireMemory?: (bytes: number) => void } = {},
): Promise<Archive> {
  refuseStateDocument(bytes);
  const slice = new TimeSlice();
  let complete = 0;
  const lines: Line[] = [];
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    // A file ends with an incomplete line if its server was killed.
    if (newline === -1 && isFile) break;
    if (number > (isFile ? Infinity : MAX_ARCHIVE_LINES))
      throw invalidLine(number, "", `expected at most ${MAX_ARCHIVE_LINES} lines, found more`);
    const text = bytes.subarray(start, end);
    const { bytes: most, values, depth } = boundsOf(firstMember(text) ?? "");
    if (text.length > (isFile ? Infinity : most))
      throw invalidLine(number, "", `expected at most ${most} bytes, found ${text.length}`);
    requireMemory?.(VALUE_BYTES * Math.min(text.length / 2, values));
    const line = await readLine(text, number, isFile ? { depth } : { values, members: MAX_JSON_MEMBERS, depth });
    lines.push(line);
    if (line[0] === "end") complete = lines.length;
    start = end + 1;
    if (slice.isOver) await slice.next();
  }
  if (lines[0]?.[0] !== "format") throw invalidLine(1, "/format", `expected "${ARCHIVE_FORMAT}", found none`);
  if (complete === 0 || (!isFile && complete < lines.length)) {
    throw invalidLine(lines.length + 1, "/end", 'expected the last line {"end":true}, found none');
  }
  const kept = lines.slice(0, complete);
  const last = (name: string) => kept.findLast(([each]) => each === name)?.[1];
  const core = last("core") as SavedCore | undefined;
  if (!core) throw invalidLine(kept.length, "/core", "expected a line core, found none");
  const { projectKey: originKey } = core.origin;
  const [key, source] = [last("key") as string | undefined, last("source") as ArchiveSource | undefined];
  const contract = last("contract") as ArchivedContract | undefined;
  return { lines: kept.filter(([name]) => !aboutFile.has(name)), key, source, contract, originKey };
}

const NEWLINE = 0x0a;
/** The memory of an empty object and its place in a list. Each value takes at least two characters of a line. */
const VALUE_BYTES = 64;
/** The lines that are about the archive, not about the project. */
const aboutFile: ReadonlySet<string> = new Set<Table>(["format", "contract", "key", "source", "end"]);

async function readLine(bytes: Uint8Array, number: number, bounds: JsonBounds): Promise<Line> {
  const reading = readJson(bytes, bounds);
  if ("refusal" in reading) throw refusedBody(reading.refusal, `Line ${number}`);
  const [member, ...others] = isObject(reading.value) ? Object.entries(reading.value) : [];
  if (!member || others.length > 0) {
    throw invalidLine(number, "", "expected an object with one member, found another value");
  }
  const [name, value] = member;
  if (name === "format" && value !== ARCHIVE_FORMAT) {
    const hint = "Use the version of resource-mock that wrote the archive.";
    throw invalidLine(number, "/format", `expected "${ARCHIVE_FORMAT}", found ${shown(value)}. ${hint}`);
  }
  const problem = await lineProblem(name, value ?? undefined);
  if (problem) throw invalidLine(number, join("", name) + problem.pointer, problem.message);
  return [name, value ?? undefined];
}

function invalidLine(number: number, pointer: string, message: string): ServiceError {
  return new ServiceError({ ...invalidField(pointer, `line ${number}: ${message}`), field: pointer });
}

/**
 * Replaces the project with this key by an archived one, whole or not at all. Requests in progress fail, and tokens of the
 * project become invalid, as with a reset. Snapshots are replaced too. Unless `continues`, the project is a copy: its
 * coverage does not count for the server.
 *
 * @param restored when and from which file, for the summary of the project. Otherwise, that of the archive stays
 * @throws OtherContract for an archive of another service
 * @throws ServiceError InvalidField for invalid values, by the name of their line; LimitReached and InsufficientStorage.
 */
export async function restoreArchive(
  engine: Engine,
  key: string,
  archive: Archive,
  restored?: Pick<RestoredArchive, "file" | "restoredAt">,
  continues = false,
): Promise<void> {
  requireContract(archive, engine.contract);
  const value = await archivedValue(engine, key, archive);
  const { source } = archive;
  const copied = continues ? {} : { coverage: noCoverage, copiedCoverage: coverageOf(value) };
  const from = source || restored ? { ...restored, ...(source && { source }) } : value.archive;
  const positions = repositioned(value, () => engine.sequence.next(0));
  engine.replaceProject(key, { ...value, ...positions, ...copied, archive: from });
}

async function archivedValue(engine: Engine, key: string, { lines }: Archive): Promise<ProjectValue> {
  const start = engine.projects.initial(key);
  const { journal, history, ...archived } = await buildProject(start, lines, engine);
  const { journalSize } = archived.settings;
  const kept = { journal: journal.resized(journalSize), history: history.resized(mostSets(journalSize)) };
  const value = { ...archived, ...kept };
  const problems = await problemsIn(value, engine);
  if (problems.length > 0) throw new ServiceError(problems);
  return value;
}

/** Returns what is wrong between the lines of a project, or between them and this server. */
async function problemsIn(value: ProjectValue, { upstream }: Engine): Promise<ErrorDetail[]> {
  const problems: ErrorDetail[] = [];
  const { upstreamMode } = value.settings;
  if (upstreamMode === "record" && upstream && !upstream.canRecord) {
    const hint = "Start the server with --record-to for this mode.";
    problems.push(invalidField("/settings/upstreamMode", `expected off or spy, found "record". ${hint}`));
  }
  const requireMoment = (pointer: string, moment = 0, last = 0) => {
    if (moment > last) problems.push(invalidField(pointer, `expected at most ${last}, found ${moment}`));
  };
  for (const number of value.journal.numbers()) {
    const { momentBefore, momentAfter } = value.journal.at(number) as Exchange;
    const pointer = join("", `request/${number}`);
    requireMoment(join(pointer, "momentAfter"), momentAfter, value.history.last);
    requireMoment(join(pointer, "momentBefore"), momentBefore, momentAfter);
  }
  problems.push(...(await repeatedIn(value.state, "")));
  for (const [name, { state }] of value.snapshots) problems.push(...(await repeatedIn(state, `snapshot/${name}/`)));
  return problems;
}

/** Returns the items of a state with a number or an identity that another one has. Works in time slices. */
async function repeatedIn(state: State, prefix: string): Promise<ErrorDetail[]> {
  const slice = new TimeSlice();
  const problems: ErrorDetail[] = [];
  for (const [name, { items, ids, alternates }] of state.collections.entries()) {
    for (const [id, number] of ids.entries()) {
      const pointer = join("", `${prefix}item/${encodeURIComponent(name)}/${id}`);
      const item = items.get(number);
      if (item?.id !== id) problems.push(invalidField(`${pointer}/0`, `expected a number of its own, found ${number}`));
      else {
        for (const [member, value] of Object.entries(item.alternates ?? {})) {
          if (alternates.get(identity(member, value)) === id) continue;
          const message = `expected a ${member} of its own, found ${shown(value)}`;
          problems.push(invalidField(`${pointer}/1/alternates/${member}`, message));
        }
      }
      if (problems.length >= MAX_PROBLEMS) return problems;
      if (slice.isOver) await slice.next();
    }
  }
  return problems;
}
