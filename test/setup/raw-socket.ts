import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";

/** A socket for raw bytes, such as invalid HTTP that no HTTP client sends. */
export interface RawSocket {
  send(text: string | Uint8Array): void;
  /** Ends the sending half of the connection. */
  end(): void;
  /** Resolves after the close, with all received bytes as Latin-1, and the error code of a reset connection. */
  closed(): Promise<{ text: string; error?: string }>;
  /** Resolves with the received bytes once they match. Rejects if the connection closes first. */
  received(pattern: RegExp): Promise<string>;
  readonly socket: Socket;
}

/** Opens a socket to the server. With the CA of an `https:` URL, the bytes go through TLS, as HTTP/1.1. */
export async function openSocket(url: string | undefined, ca?: string): Promise<RawSocket> {
  const { port, hostname } = new URL(url ?? "http://missing.invalid");
  const target = { port: Number(port), host: hostname, allowHalfOpen: true };
  const socket = ca === undefined ? connect(target) : connectSecurely({ ...target, ca, ALPNProtocols: ["http/1.1"] });
  await once(socket, ca === undefined ? "connect" : "secureConnect");
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
        if (socket.closed) throw new Error(`closed socket: expected ${pattern}, found ${JSON.stringify(text)}`);
        await Promise.race([once(socket, "data"), closing]);
      }
      return text;
    },
  };
}

/** Sends bytes on a new connection. Returns the received text after the server has closed the connection. */
export async function sendRaw(url: string | undefined, bytes: string | Uint8Array): Promise<string> {
  const client = await openSocket(url);
  client.send(bytes);
  return (await client.closed()).text;
}
