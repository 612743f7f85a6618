import type { BuiltRequest } from "./request.ts";

/** The amount of text that the page shows of a response, in bytes. A longer text would block the page. */
const MAX_SHOWN = 256 * 1024;

/** The response to a request, as far as it has arrived. */
export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** The URL of an image in the body. */
  readonly image?: string;
  /** Whether the body is longer than the text. */
  readonly isCut: boolean;
  /** Whether more can arrive. */
  readonly isOpen: boolean;
  /** Milliseconds since the request was sent. */
  readonly duration: number;
}

/**
 * Sends a request to the mock, and calls `onChange` as the response arrives: an event stream arrives in parts. Rejects if
 * there is no complete response, or if the signal aborts.
 */
export async function send(
  { target, method, headers, body }: BuiltRequest,
  signal: AbortSignal,
  onChange: (received: Received) => void,
): Promise<void> {
  const start = performance.now();
  const response = await fetch(target, { method, headers, body, signal, cache: "no-store", redirect: "manual" });
  const { status, statusText } = response;
  const head = { status, statusText, headers: [...response.headers], isCut: false };
  const show = (part: Pick<Received, "text" | "isOpen"> & Partial<Received>) =>
    onChange({ ...head, duration: performance.now() - start, ...part });
  const type = response.headers.get("Content-Type") ?? "";
  if (/^image\/(jpeg|png|gif)/.test(type)) {
    show({ text: "", image: URL.createObjectURL(await response.blob()), isOpen: false });
    return;
  }
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  show({ text, isOpen: true });
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    text += decoder.decode(value, { stream: true });
    if (size > MAX_SHOWN) {
      await reader.cancel();
      show({ text: text.slice(0, MAX_SHOWN), isCut: true, isOpen: false });
      return;
    }
    show({ text, isOpen: true });
  }
  show({ text: formatted(text, type), isOpen: false });
}

/** Returns JSON with indents, and other text as it is. Also leaves JSON as it is if parsing would change a number. */
function formatted(text: string, type: string): string {
  if (!/[/+]json\b/.test(type) || /\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
