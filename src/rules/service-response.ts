import type { Fault } from "./effects/fault-effect.ts";

/** Headers by name. Only `Set-Cookie` can have several values, as a comma cannot separate them (RFC 9110, section 5.3). */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/** A response as plain data, before it is sent. */
export interface ServiceResponse {
  /** 0 if the connection ends without a response. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** JSON text, or null for no body. An off-contract response can have any text or bytes. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** The value of `Mock-Source`. */
  readonly source: string;
  /** Set if the response is not validated against the contract. */
  readonly offContract?: true;
  /** The delivery, if not complete and immediate. */
  readonly delivery?: Delivery;
}

export type Delivery = BrokenDelivery | DribbledDelivery | StreamedDelivery;

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

/** The body is passed on as it arrives from the upstream. */
export interface StreamedDelivery {
  readonly fault?: undefined;
  readonly stream: BodyStream;
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
