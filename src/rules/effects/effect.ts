import type { Awaitable, FromSchema, Operation, Schema } from "../../contract/index.ts";
import type { FixtureSet, Settings } from "../../state/index.ts";
import type { AnyFunction } from "../function.ts";
import type { Candidates } from "../matching/possible.ts";
import type { ResponseHeaders } from "./headers.ts";
import type { Fault } from "./rule-effects.ts";
import type { Raw, Respond } from "./stub-effects.ts";

/** What a rule refers to while it is checked. Each check can narrow `operations` and add problems. */
export interface CheckedRule extends Candidates {
  readonly fixtures: FixtureSet;
  /** All operations of the contract. */
  readonly known: readonly Operation[];
  /** Whether the operations declare every status that they can have (see Contract). */
  readonly declaresAllStatuses: boolean;
  /** Whether bodies are known to be valid, so that they are not validated again. */
  readonly isChecked?: boolean | undefined;
}

/** The rule, scenario or function that an effect comes from. */
export interface Stub {
  /** The value of `Mock-Source`: `rule:r-1`, `scenario:conflict`. */
  readonly source: string;
  /** The name in sentences: `rule r-1`, `scenario conflict rule 2`. */
  readonly label: string;
}

/** The request that an effect takes place on, and what the effect can do. The engine provides it. */
export interface EffectContext {
  readonly operation: Operation;
  /** The schemas of values that a changed response keeps (see Contract). */
  readonly protocolValues: ReadonlySet<Schema>;
  /** Returns the next random number of the project: at least 0, below 1. */
  random(): number;
  /** Returns random numbers that use up only one of the project's. */
  ownRandom(): () => number;
  /** Writes the resource of the request as another client would. */
  writeAsAnotherClient(): void;
  /** Returns the response of a rule. Throws InvalidStub. */
  respond(response: Respond, stub: Stub): Promise<ServiceResponse>;
  respondRaw(response: Raw, stub: Stub): Promise<ServiceResponse>;
  /** Returns the response of a function; undefined if it passes the request on. Throws InvalidStub. */
  run(run: AnyFunction, stub: Stub): Promise<ServiceResponse | undefined>;
  /** Counts a time that an effect holds the response back, in milliseconds. */
  addDelay(ms: number): void;
  wait(ms: number, gone: AbortSignal): Promise<void>;
}

/** The members of the decision about an effect, beside its name and its source. */
export type EffectFacts = Readonly<Record<string, unknown>>;

/** Adds the effect to the decisions of the request. */
export type Note = (facts: EffectFacts) => void;

/**
 * An effect of a rule: all that the mock knows about it. It takes place in the first of the steps `settings`, `delay`,
 * `before`, `respond`, `change` and `deliver` that it has.
 */
export interface Effect<Value = unknown, Facts = EffectFacts> {
  /** The value in a rule. */
  readonly schema: Schema;
  /** Of the effects in one slot, a request gets at most one. By default, the effect has a slot of its own. */
  readonly slot?: "ending";
  /** The names of effects that cannot be combined with this one. */
  readonly excludes?: readonly string[];
  /** Set if the effect needs the whole body of an upstream: as sent, or decoded. */
  readonly wholeBody?: "sent" | "decoded";
  /** The schemas of the facts that the journal shows. */
  readonly facts?: { readonly [name: string]: Schema };
  /** Whether the effect notes its facts when its result is known. By default, they are noted when it is chosen. */
  readonly notesItself?: true;

  /** Reports a value that the contract does not allow, and narrows the operations to those that can have the effect. */
  check?(value: Value, pointer: string, rule: CheckedRule): Awaitable<void>;
  /** Returns whether the effect of a rule for all operations affects the token endpoint too; true by default. */
  affectsTokens?(value: Value): boolean;
  /** Returns the facts to note when the effect is chosen. */
  notes?(value: Value): EffectFacts;
  /** Returns the noted effect in words, after the name of the rule: `responded with 500`. */
  reads(facts: Facts): string;

  /** Returns the settings for this request, before it is authorized. */
  settings?(value: Value): Partial<Settings>;
  /** Returns how long the response is held back, in milliseconds. */
  delay?(value: Value, context: EffectContext): number;
  /** Runs before the operation. */
  before?(value: Value, context: EffectContext): void;
  /** Returns the response in place of the operation; undefined if the operation runs. */
  respond?(value: Value, context: EffectContext, stub: Stub, note: Note): Awaitable<ServiceResponse | undefined>;
  /**
   * Returns another response. Of two headers whose names differ only in case, the later one stays. Not called for a response
   * that cannot be changed any more.
   */
  change?(response: ServiceResponse, context: EffectContext, stub: Stub, note: Note): Promise<ServiceResponse>;
  /** Returns the response with another delivery. */
  deliver?(response: ServiceResponse, value: Value, context: EffectContext, stub: Stub, note: Note): ServiceResponse;
}

/** Returns the effect as given, with the types of its value and of its facts. */
export function effect<
  const Value extends Schema,
  const Facts extends Readonly<Record<string, Schema>> = Record<never, never>,
>(
  row: { readonly schema: Value; readonly facts?: Facts } & Omit<
    Effect<FromSchema<Value>, FromSchema<{ readonly type: "object"; readonly properties: Facts }>>,
    "schema" | "facts"
  >,
) {
  return row;
}

/** A response as plain data, before it is sent. */
export interface ServiceResponse {
  /** 0 if the connection ends without a response. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** JSON text, or null for no body. An off-contract response can have any text or bytes. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** The value of `Mock-Source`. */
  readonly source: string;
  /** The reason of an error in one sentence, for `Mock-Reason`; by default its source. */
  readonly reason?: string;
  /** Set if the response is not validated against the contract. */
  readonly offContract?: true;
  /** What the body shows, and what of it is known to be valid, so that a body is validated only once. */
  readonly shows?: { readonly item: object; readonly valid: WeakSet<object> };
  /** The delivery, if not complete and immediate. */
  readonly delivery?: Delivery;
}

/** A delivery other than a whole body at once. A body from the upstream is passed on as it arrives, as a stream. */
export type Delivery = BrokenDelivery | DribbledDelivery | { readonly fault?: undefined; readonly stream: BodyStream };

/** The connection breaks before or during the response. */
export interface BrokenDelivery {
  readonly fault: Fault;
  /** The random bytes that the fault sends; empty for faults that send none. */
  readonly noise: Uint8Array;
}

/** The body is sent in chunks. */
export interface DribbledDelivery {
  readonly fault?: undefined;
  readonly chunks: number;
  /** Waits for the time between two chunks, or until `gone` aborts. */
  pause(gone: AbortSignal): Promise<void>;
}

/** A body that arrives from the upstream. */
export interface BodyStream {
  /** The size of the body in bytes, if the upstream sent it. */
  readonly length: number | undefined;
  /** Yields the body once. Throws if the body breaks off: the client must see a broken connection. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Ends the transfer, because the client has disconnected. */
  cancel(): void;
  /** Resolves after the last byte has arrived and before the client receives it, or when the body breaks off. */
  readonly ended: Promise<BodyEnd>;
}

/** The body of a response that has passed. */
export interface BodyEnd {
  /** The decoded body or its start, for the journal. */
  readonly body: string | Uint8Array | null;
  /** The size of the whole decoded body in bytes, if `body` is only its start. */
  readonly cutFrom?: number;
  readonly isBroken: boolean;
}
