import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { createHttp2, type Http2Options } from "./http2.ts";
import { type Address, bind } from "./listening.ts";
import { setCarrier } from "./streams.ts";

/** The certificate and the private key of the server, as PEM. */
export interface HttpsIdentity {
  readonly cert: string;
  readonly key: string;
  /** The CA of client certificates. With it, the server requires them. */
  readonly clientCa?: string;
}

export interface HttpsOptions extends Address, Http2Options {
  readonly identity: HttpsIdentity;
  /** The server of plain HTTP. It also handles the connections of HTTP/1.1 over TLS, with the same limits. */
  readonly http1: HttpServer;
}

export interface HttpsServer {
  readonly port: number;
  /** Resolves when all connections have ended. Closes those that last longer than `drain` milliseconds. */
  close(drain: number): Promise<void>;
}

/** Listens for TLS. A client chooses HTTP/2 or HTTP/1.1 by ALPN; a client without ALPN speaks HTTP/1.1. */
export async function listenSecurely(options: HttpsOptions): Promise<HttpsServer> {
  const { identity, http1, timeouts, port, host } = options;
  const { cert, key, clientCa } = identity;
  const http2 = createHttp2(options);
  const server = createServer({
    cert,
    key,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: timeouts.headers,
    noDelay: true,
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  });
  /** The TCP sockets by the address of the client. */
  const carriers = new Map<string, Socket>();
  server.on("connection", (carrier) => {
    const client = addressOf(carrier);
    carriers.set(client, carrier);
    carrier.once("close", () => carriers.delete(client));
  });
  server.on("secureConnection", (socket) => {
    const carrier = carriers.get(addressOf(socket));
    if (carrier) setCarrier(socket, carrier);
    const inner = socket.alpnProtocol === "h2" ? http2.server : http1;
    inner.emit("connection", socket);
  });
  // A failed handshake, such as that of a client that does not trust the certificate.
  server.on("tlsClientError", (_error, socket: TLSSocket) => socket.destroy());
  return {
    port: await bind(server, { port, host }),
    close(drain) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const carrier of carriers.values()) carrier.destroy();
        }, drain);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        http2.drain();
      });
    },
  };
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
