import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A socket to write bytes on as they are, which no HTTP client would send. */
export interface RawSocket {
  send(text: string | Uint8Array): void;
  /** Ends our half: nothing more will be sent. */
  end(): void;
  /** All bytes that came back until the other side closed, as Latin-1; an error's code when it did so by force. */
  closed(): Promise<{ text: string; error?: string }>;
  /** The bytes that came back so far, once they match. */
  received(pattern: RegExp): Promise<string>;
  readonly socket: Socket;
}

export async function openSocket(url: string | undefined): Promise<RawSocket> {
  const { port, hostname } = new URL(url ?? "http://there.is.no.socket");
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  await once(socket, "connect");
  let text = "";
  let error: string | undefined;
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) => {
    error = code;
  });
  socket.on("end", () => socket.end());
  const closing = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    async closed() {
      await closing;
      return { text, error };
    },
    async received(pattern) {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`closed without ${pattern}, after ${JSON.stringify(text)}`);
        await Promise.race([once(socket, "data"), closing]);
      }
      return text;
    },
  };
}

/** Sends bytes on a connection of their own; what came back, once the server has closed it. */
export async function sendRaw(url: string | undefined, bytes: string | Uint8Array): Promise<string> {
  const client = await openSocket(url);
  client.send(bytes);
  return (await client.closed()).text;
}
