import {
  changesItem,
  closedObject,
  counted,
  cut,
  type FromSchema,
  findProblems,
  MAX_DELAY_MS,
  MAX_EVOLVED,
  MAX_LISTED,
  MAX_SHOWN_TEXT,
  MAX_STEPS,
  type Operation,
  responseFor,
  type Schema,
  tokenOperation,
} from "../../contract/index.ts";
import { evolve as evolved, Latency, requestSettings } from "../../state/index.ts";
import { keepOperations } from "../matching/possible.ts";
import { type BrokenDelivery, effect } from "./effect.ts";
import { faults } from "./effect-words.ts";
import { raw, respond } from "./stub-effects.ts";

const RequestSettings = {
  ...closedObject([], requestSettings),
  minProperties: 1,
  description: "Settings that override the project's settings for matching requests.",
} as const satisfies Schema;

const settings = effect({
  schema: RequestSettings,
  facts: { settings: { ...RequestSettings, description: "The settings for this request." } },
  notes: (value) => ({ settings: value }),
  reads(facts) {
    const texts = Object.entries(facts.settings ?? {}).map(([name, value]) => {
      return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
    });
    return `changed settings for this request: ${texts.join(", ")}`;
  },
  check(_value, pointer, { operations, problems }) {
    if (operations.length === 0 || operations.some(({ id }) => id !== tokenOperation.id)) return;
    problems.push({ pointer, message: "expected another operation, as token has no settings" });
  },
  settings: (value) => value,
});

const latency = effect({
  schema: {
    ...Latency,
    description:
      'The delay of the response in milliseconds, such as `{ "fixed": 200 }`. The value `null` means no delay.',
  },
  facts: { ms: { type: "number", description: "How long the response was held back, in milliseconds." } },
  notesItself: true,
  reads: ({ ms }) => `delayed the response by ${ms} ms`,
  delay: (value, { random }) => (value === null ? 0 : sampleLatency(value, random)),
});

/** Returns a random delay for one response, in whole milliseconds. */
export function sampleLatency(latency: NonNullable<Latency>, random: () => number): number {
  return Math.round(Math.min(sample(latency, random), MAX_DELAY_MS));
}

function sample(latency: NonNullable<Latency>, random: () => number): number {
  if ("fixed" in latency) return latency.fixed;
  if ("uniform" in latency) {
    const [from = 0, to = from] = latency.uniform;
    return from + random() * (to - from);
  }
  const { median, sigma } = latency.lognormal;
  // A sample of the standard normal distribution (Box–Muller transform). `1 -` avoids the logarithm of zero.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(sigma * normal);
}

const conflict = effect({
  schema: {
    const: true,
    description:
      "The mock changes the resource just before the request, as another client would. The version in the request is then stale.",
  },
  reads: () => "makes another client write first",
  affectsTokens: () => false,
  check(_value, pointer, rule) {
    const changes = ({ role }: Operation) => changesItem(role);
    const ids = rule.known.filter(changes).map(({ id }) => id);
    const expected =
      ids.length > MAX_LISTED ? "an operation that changes or deletes an item" : `the operation ${ids.join(" or ")}`;
    keepOperations(rule, changes, pointer, (operations) => {
      return `expected ${expected}, found ${operations.map(({ id }) => id).join(", ")}`;
    });
  },
  before: (_value, context) => context.writeAsAnotherClient(),
});

const unchanged = { type: "string", description: "Why the response stayed as it was." } as const satisfies Schema;

const evolve = effect({
  schema: {
    const: true,
    description:
      "Changes the JSON body of the response, as a later version of the service could without violating the contract. The state stays unchanged.",
  },
  wholeBody: "decoded",
  facts: {
    changes: { type: "array", items: { type: "string" }, description: "The first changes of the body." },
    count: { type: "integer", description: "The number of all changes of the body." },
    unchanged,
  },
  notesItself: true,
  affectsTokens: () => false,
  check(_value, pointer, rule) {
    const hasBody = ({ responses }: Operation) => Object.values(responses).some(({ schema }) => schema);
    keepOperations(rule, hasBody, pointer, () => "expected an operation whose responses have a body");
  },
  reads({ changes = [], count = 0, unchanged }) {
    if (unchanged !== undefined) return `did not change the response: ${unchanged}`;
    const more = count > MAX_LISTED ? `, and ${count - MAX_LISTED} more changes` : "";
    return `changed the response: ${cut(changes.slice(0, MAX_LISTED).join(", "), MAX_SHOWN_TEXT)}${more}`;
  },
  /** Changes neither the state nor the headers of the response. */
  async change(response, context, { source }, note) {
    const random = context.ownRandom();
    const keep = (unchanged: string) => {
      note({ unchanged });
      return response;
    };
    const { body, status, offContract } = response;
    const schema = responseFor(context.operation, status)?.schema;
    if (offContract) return keep("it is off-contract");
    if (!schema || typeof body !== "string") return keep("it has no JSON body");
    if (body.length > MAX_EVOLVED) return keep(`its body has more than ${MAX_EVOLVED} characters`);
    const { value, changes, count } = evolved(JSON.parse(body), schema, random, context.protocolValues);
    if (count === 0) return keep("nothing in its body can vary");
    const [problem] = await findProblems(schema, value);
    if (problem) return keep(`its body violates the contract: ${problem.pointer}: ${problem.message}`);
    note({ changes, count });
    return { ...response, body: JSON.stringify(value), source };
  },
});

const Fault = {
  type: "string",
  enum: Object.keys(faults) as (keyof typeof faults)[],
  description:
    "Breaks the connection to the client. The faults `CONNECTION_RESET_BY_PEER` (TCP reset), `EMPTY_RESPONSE` (no byte) " +
    "and `RANDOM_DATA_THEN_CLOSE` (invalid HTTP) take effect before the operation runs. The faults " +
    "`MALFORMED_RESPONSE_CHUNK` (an invalid chunk) and `TRUNCATED_BODY` (half of the body) take effect after the " +
    "operation has run.",
} as const satisfies Schema;
export type Fault = FromSchema<typeof Fault>;

/** The faults that break the response of the operation. The others replace it. */
const breaking: ReadonlySet<Fault> = new Set<Fault>(["MALFORMED_RESPONSE_CHUNK", "TRUNCATED_BODY"]);

export const fault = effect({
  schema: Fault,
  slot: "ending",
  excludes: ["respond", "chunkedDribbleDelay"],
  wholeBody: "sent",
  facts: { fault: { ...Fault, description: "The way in which the connection broke." }, unchanged },
  notesItself: true,
  reads: (facts) =>
    facts.unchanged === undefined
      ? `broke the connection: ${facts.fault}`
      : `did not break the connection: ${facts.unchanged}`,
  respond(value, { random }, { source }, note) {
    if (breaking.has(value)) return undefined;
    note({ fault: value });
    return { status: 0, headers: {}, body: null, source, delivery: broken(value, random) };
  },
  deliver(response, value, { operation, random }, { source }, note) {
    if (!response.body?.length || operation.method === "HEAD") {
      note({ unchanged: "the response has no body" });
      return response;
    }
    note({ fault: value });
    return { ...response, source, delivery: broken(value, random) };
  },
});

const NOISE = 64;

function broken(value: Fault, random: () => number): BrokenDelivery {
  const isNoisy = value === "RANDOM_DATA_THEN_CLOSE" || value === "MALFORMED_RESPONSE_CHUNK";
  const noise = Uint8Array.from({ length: isNoisy ? NOISE : 0 }, () => Math.floor(random() * 256));
  // Neither an HTTP version nor a chunk size starts with this byte, so the bytes are always invalid.
  if (isNoisy) noise[0] = 0xff;
  return { fault: value, noise };
}

export const chunkedDribbleDelay = effect({
  schema: {
    ...closedObject(["numberOfChunks", "totalDuration"], {
      numberOfChunks: { type: "integer", minimum: 1, maximum: MAX_STEPS },
      totalDuration: { type: "number", minimum: 0, maximum: MAX_DELAY_MS },
    }),
    description: "Sends the response body in `numberOfChunks` chunks, spread evenly over `totalDuration` milliseconds.",
  },
  wholeBody: "sent",
  facts: { chunks: { type: "integer", description: "The number of chunks that the body is sent in." } },
  notes: ({ numberOfChunks }) => ({ chunks: numberOfChunks }),
  reads: ({ chunks }) => `sends the body in ${counted(chunks ?? 0, "chunk")}`,
  deliver(response, { numberOfChunks, totalDuration }, context) {
    if (response.body === null) return response;
    context.addDelay(totalDuration);
    const pause = (gone: AbortSignal) => context.wait(totalDuration / numberOfChunks, gone);
    return { ...response, delivery: { chunks: numberOfChunks, pause } };
  },
});

/**
 * The effects of rules, in the order in which they take place. A new effect is one entry here: rules accept it, and the
 * journal, the reasons and the documents name it. Its words in the dashboard are in `effect-words.ts`.
 */
export const effects = { settings, latency, conflict, respond, raw, fault, evolve, chunkedDribbleDelay };
