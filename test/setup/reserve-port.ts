import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** The first and last port to reserve. When a program listens on port 0, systems choose higher ones: Linux from 32768 on. */
const [FIRST, LAST] = [20_000, 32_000];

let port = FIRST + ((process.pid * 37) % (LAST - FIRST));

/**
 * Returns a TCP port for a program that cannot choose one itself, or that is stopped and started again. Until the end of
 * this process, no other test gets the port: a UDP socket on the same port marks it as reserved.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    port = port < LAST ? port + 1 : FIRST;
    const mark = createSocket("udp4").unref();
    const server = createServer();
    try {
      mark.bind({ port, address: "127.0.0.1", exclusive: true });
      await once(mark, "listening");
      // Fails if another program, which is no test, listens on the port.
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    } catch {
      mark.close();
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
