import { isObject, MAX_SHOWN_TEXT } from "../../contract/index.ts";
import { faults } from "../../rules/index.ts";
import type { Decision, DecisionNamed } from "../decisions.ts";
import type { RequestEntry } from "../entry.ts";
import type { Route } from "./address.ts";

/** A part of a sentence: text, or a link to a view of the dashboard. */
export type Part = string | { readonly text: string; readonly to: Partial<Route> };
export type Sentence = readonly Part[];

/** Returns a sentence without its links. */
export function textOf(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === "string" ? part : part.text)).join("");
}

/** The reason for a response in words. */
export interface Why {
  /** The status and the reason: "409: the client sent version 9, the stored version is 2". */
  readonly reason: Sentence;
  /** What else led to the response, one sentence each. */
  readonly more: readonly Sentence[];
}

/** Where the state has the items that a request is about, for links. */
export interface Places {
  /** Returns the collection of the items of a type; without a type, of the operation. */
  collectionOf(type?: string): string | undefined;
  /** The id of the item in the path of the request. */
  readonly id?: string | undefined;
}

const byType: Places = { collectionOf: (type) => type };

/** Returns the reason for the response of a request to this project. */
export function whyOf(project: string, entry: RequestEntry, { collectionOf, id }: Places = byType): Why {
  const itemAt = (item = id, type?: string) => dataRoute(project, collectionOf(type), item);
  const known = { project, entry, error: errorOf(entry), itemAt };
  return { reason: reasonOf(known), more: [...steeringOf(known), ...rest(known)] };
}

/** Returns the route of an item of a collection in the view of the state; without an item, of the collection. */
export function dataRoute(project: string, collection: string | undefined, item?: string): Partial<Route> {
  return { project, view: "data", item, ...(collection !== undefined && { filter: { type: collection } }) };
}

interface Known {
  readonly project: string;
  readonly entry: RequestEntry;
  readonly itemAt: (item?: string, type?: string) => Partial<Route>;
  readonly error: KnownError | undefined;
}

/** The first error of an error body. */
interface KnownError {
  readonly code: string;
  readonly message: string;
  /** The number of further errors. */
  readonly others: number;
  readonly [member: string]: unknown;
}

function reasonOf(known: Known): Sentence {
  const { project, entry } = known;
  const { source, response, effects, facts } = entry;
  const ending = effects.find(({ responds }) => responds);
  if (ending?.fault) return ["Connection broken: ", steering(project, ending.source), ` ${faults[ending.fault]}`];
  if (response.status === 0) {
    return [`No response: the client closed the connection after ${Math.round(entry.timings.duration)} ms`];
  }
  const status = `${response.status}: `;
  if (source === "upstream") return [status, fromUpstream(entry)];
  if (ending && ending.source === source) {
    return [status, "the ", steering(project, source), " responded"];
  }
  if (entry.evolved) return [status, "the ", steering(project, source), " changed the response"];
  if (source === "error" || source === "defect") return [status, ...rejection(known)];
  const preference = factOf(facts, "prefer");
  if (preference && source !== "state") {
    return [status, `selected by the request header Prefer: ${preference.applied}`];
  }
  return [status, ...success(known)];
}

function fromUpstream({ upstream }: RequestEntry): string {
  if (!upstream?.response) return upstream?.error ?? "the upstream did not respond";
  const time = `${Math.round(upstream.ms)} ms`;
  return upstream.error === undefined
    ? `the upstream responded in ${time}`
    : `the response of the upstream broke off after ${time}: ${upstream.error}`;
}

function rejection({ entry, error, itemAt }: Known): Sentence {
  const { request, violations } = entry;
  if (!error) return ["the mock rejected the request"];
  switch (error.code) {
    case "ConcurrentModification": {
      const sent = isObject(request.body?.json) ? request.body.json.version : undefined;
      const stored = { text: "the stored version", to: itemAt(request.pathParameters.id) };
      if (entry.conflict?.writer) return writerOf(stored.to, entry.conflict, entry.conflict.writer);
      if (typeof sent !== "number" || typeof error.currentVersion !== "number") return [error.message];
      return [`the client sent version ${sent}, `, stored, ` is ${error.currentVersion}`];
    }
    case "ResourceNotFound":
      return [short(error.message.replace(/^Project ".*?" has (?=no )/, ""))];
    case "EndpointNotFound":
      return [`no operation matches ${request.method} ${short(request.path)}`];
    default: {
      const [violation] = violations;
      const others = violation ? violations.length - 1 : error.others;
      const more = others > 0 ? ` (and ${others} more)` : "";
      return [(violation ?? error).message + more];
    }
  }
}

function factOf<Kind extends Decision["kind"]>(facts: RequestEntry["facts"], kind: Kind) {
  return facts.find((fact): fact is DecisionNamed<Kind> => fact.kind === kind);
}

type Conflict = NonNullable<RequestEntry["conflict"]>;
type Writer = NonNullable<Conflict["writer"]>;

/** Returns who wrote the stored version: "version 2 was written 22 ms earlier by request 57 (POST …, client worker)". */
function writerOf(resource: Partial<Route>, { sent, stored }: Conflict, writer: Writer): Sentence {
  const { by, request, method = "", path = "", client, earlier } = writer;
  const start = `the client sent version ${sent}; `;
  if (by === "effect") {
    return [`${start}version ${stored} was written just before by the effect conflict of a rule or scenario`];
  }
  const version = { text: `version ${stored}`, to: resource };
  const when = ` was written ${Math.round(earlier)} ms earlier by `;
  if (by === "control" || request === undefined) return [start, version, `${when}a call of the control API`];
  const link = { text: `request ${request}`, to: { project: resource.project, item: request } };
  return [start, version, when, link, ` (${method} ${short(path)}${client === undefined ? "" : `, client ${client}`})`];
}

function success({ entry, itemAt }: Known): Sentence {
  const { source, request, response, changes, operation } = entry;
  const kind = source.split(":", 1)[0];
  const write = changes.at(-1);
  if (write) return written(entry, write, itemAt(write.id, write.type));
  if (kind === "fixture") return [`the fixture ${fixtureOf(source)}`];
  if (kind !== "state") return [`the response came from ${source}`];
  if (request.method === "HEAD" && operation !== null) {
    return [`the project has ${response.status === 200 ? "resources" : "no resources"}`];
  }
  const { id, key } = request.pathParameters;
  const { json } = response.body ?? {};
  const version = isObject(json) && typeof json.version === "number" ? `, version ${json.version}` : "";
  if (id !== undefined) return [{ text: "the stored resource", to: itemAt(id) }, version];
  if (key !== undefined) {
    const { filter, ...list } = itemAt(undefined);
    return [{ text: `the stored resource ${short(key)}`, to: { ...list, filter: { ...filter, q: key } } }, version];
  }
  const last = Object.values(request.pathParameters).at(-1) ?? "";
  const isItem = [last, encodeURIComponent(last)].includes(request.path.split("/").at(-1) ?? "");
  return [
    isItem ? { text: `the stored item ${short(last)}`, to: itemAt(last) } : { text: "the stored items", to: itemAt() },
  ];
}

type Write = RequestEntry["changes"][number];

const writes: ReadonlySet<string> = new Set(["created", "overwrote", "updated", "deleted", "from-fixture"]);

/** Returns what the request did with an item. There is no link to a deleted one. */
function written({ source, response, facts }: RequestEntry, write: Write, to: Partial<Route>): Sentence {
  const { type, id, from, to: version } = write;
  // Handlers of the service itself store files and singletons.
  if (!facts.some(({ kind }) => writes.has(kind))) {
    const name = id === "" ? type : `${type} ${short(id)}`;
    return [`${version === null ? "deleted" : from === null ? "stored" : "replaced"} the ${name}`];
  }
  // The path of a collection, as the name of its type, is no noun.
  const noun = type.startsWith("/") ? "the item" : `the ${type.toLowerCase()}`;
  if (version === null) return [`deleted ${noun}, which was at version ${from}`];
  const resource = { text: noun, to };
  if (from === null && source.startsWith("fixture:")) {
    return ["created ", resource, ` from the fixture ${fixtureOf(source)}`];
  }
  if (from !== null && response.status !== 201) return ["updated ", resource, ` to version ${version}`];
  return [from === null ? "created " : "overwrote ", resource, ` ${id}, now at version ${version}`];
}

function fixtureOf(source: string): string {
  return source.slice("fixture:".length);
}

/** Returns the sentences about effects that did not respond themselves. */
function steeringOf({ project, entry: { effects } }: Known): Sentence[] {
  return effects.flatMap(({ source, responds, changes, text }): Sentence[] => {
    // The response of an effect is the reason itself, and the list of changes is long.
    return responds ? [] : [["The ", steering(project, source), ` ${changes ? "changed the response" : text}.`]];
  });
}

function rest({ project, entry, error }: Known): Sentence[] {
  const { response, violations, source, upstream } = entry;
  const sentences: Sentence[] = [];
  // A rule or scenario responded: its message is not part of the reason yet.
  if (error && source !== "error" && source !== "defect" && !(upstream && error.message === upstream.error))
    sentences.push([`The response says: ${error.message}`]);
  if (Array.isArray(error?.nearest) && error.code === "EndpointNotFound") {
    sentences.push([`Nearest: ${error.nearest.join(", ")}.`]);
  }
  // With other contracts, the reason itself says so.
  if (factOf(entry.facts, "missing")?.because === "never-created" && !error?.message.includes("unknownIds")) {
    sentences.push([
      "The ",
      { text: "setting unknownIds", to: { project, view: "settings" } },
      " is not-found: an unknown id is not created from the fixture.",
    ]);
  }
  const [deviation] = upstream?.violations.response ?? [];
  if (deviation) sentences.push([`The upstream violates the contract. ${deviation.message}.`]);
  const [violation] = violations;
  if (violation && upstream) {
    sentences.push([`The request violates the contract: ${violation.message}. The mock sent it on.`]);
  } else if (violation && response.status < 400) {
    const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
    sentences.push([
      `The request violates the contract: ${violation.message}${more}. The `,
      { text: "setting validation", to: { project, view: "settings" } },
      " lets it pass.",
    ]);
  }
  return sentences;
}

function short(text: string): string {
  return text.length > MAX_SHOWN_TEXT ? `${text.slice(0, MAX_SHOWN_TEXT)}…` : text;
}

/** Returns the name of the rule, function or scenario with this source, such as `rule:r-1`. */
function steering(project: string, source: string): Part {
  const [kind = "", ...name] = source.split(":");
  // A function lives in the process of a test, so no view shows it.
  if (kind === "function") return `function ${name.join(":")}`;
  return { text: `${kind} ${name.join(":")}`, to: { project, view: "mocks", item: name.join(":") } };
}

/** Returns the first error of the response; for HEAD, whose responses have no body, the error in the decisions. */
function errorOf({ response, facts }: RequestEntry): KnownError | undefined {
  const json = response.body?.json;
  const errors = isObject(json) && Array.isArray(json.errors) ? json.errors : [];
  const [first] = errors;
  if (isObject(first) && typeof first.message === "string" && typeof first.code === "string") {
    return { ...first, code: first.code, message: first.message, others: errors.length - 1 };
  }
  const rejected = factOf(facts, "rejected");
  return rejected && { ...rejected, others: 0 };
}
