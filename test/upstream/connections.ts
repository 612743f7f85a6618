import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";

interface Connections {
  /** Returns the number of open connections to the upstream. */
  open(): number;
  /** From now on, the upstream sends no responses. */
  hold(): void;
  readonly mock: StartedResourceMock;
}

/** Runs a test with a mock and an upstream that counts its connections. */
export async function useConnections(body: (connections: Connections) => Promise<void>): Promise<void> {
  let open = 0;
  let isHeld = false;
  const upstream = createServer((_request, response) => {
    if (!isHeld) response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  upstream.on("connection", (socket) => {
    open++;
    socket.once("close", () => open--);
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  const mock = await startResourceMock({
    upstream: `http://127.0.0.1:${port}`,
    settings: { upstreamMode: "spy" },
  });
  try {
    await body({
      mock,
      open: () => open,
      hold: () => {
        isHeld = true;
      },
    });
  } finally {
    await mock.close();
    upstream.closeAllConnections();
    upstream.close();
  }
}
