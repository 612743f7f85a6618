import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** The direction of bytes: `commands` go to the store, and `replies` come back. */
export type Direction = "commands" | "replies";

/** A TCP proxy in front of a store, which withholds bytes and cuts connections. */
export interface FlakyProxy {
  /** The URL of the store, with the address of the proxy. */
  readonly url: string;
  /**
   * Withholds all further bytes of a direction until `release`. With `of`, only on connections whose last command contains
   * this text. Resolves when the first bytes arrive.
   */
  hold(direction: Direction, of?: string): Promise<void>;
  /** Sends the withheld bytes of both directions. */
  release(): void;
  /**
   * Passes the first half of the next chunk of a direction that contains the text, then resets its connection. Resolves
   * after that. With `share` 1, the connection is cut after the whole chunk; with 0, before it.
   */
  cutIn(direction: Direction, text?: string, share?: number): Promise<void>;
  /** Like `cutIn`, in the next reply on the connection of a command that contains the text. The store runs this command. */
  cutReplyTo(text: string): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  readonly sockets: Record<Direction, { from: Socket; to: Socket }>;
  /** The bytes of the last commands. */
  last: Buffer;
  reset(): void;
}

interface Cut {
  readonly direction: Direction;
  readonly text: string;
  readonly share: number;
  /** The text of a command on the same connection before it. */
  readonly after?: string;
  /** The connection of this command. */
  on?: Connection;
  done(): void;
}

/** Opens a proxy in front of the store at this URL. The proxy is closed after the test. */
export async function openFlakyProxy(target: string): Promise<FlakyProxy> {
  const connections = new Set<Connection>();
  const held = new Map<Direction, { of: string; bytes: (() => void)[]; arrived(): void }>();
  let cuts: Cut[] = [];

  const server = createServer((client) => {
    const store = connect(Number(new URL(target).port), "127.0.0.1");
    const connection: Connection = {
      sockets: { commands: { from: client, to: store }, replies: { from: store, to: client } },
      last: Buffer.alloc(0),
      reset() {
        connections.delete(connection);
        client.resetAndDestroy();
        store.resetAndDestroy();
      },
    };
    connections.add(connection);
    for (const direction of ["commands", "replies"] as const) pass(connection, direction);
  });

  function pass(connection: Connection, direction: Direction) {
    const { from, to } = connection.sockets[direction];
    // Bytes keep their order after a release, because each chunk follows the one before it.
    let last = Promise.resolve();
    from.setNoDelay();
    from.on("data", (bytes: Buffer) => {
      if (direction === "commands") connection.last = bytes;
      last = last.then(async () => {
        const holding = held.get(direction);
        if (holding && connection.last.includes(holding.of)) {
          const released = new Promise<void>((resolve) => holding.bytes.push(resolve));
          holding.arrived();
          await released;
        }
        send(connection, direction, bytes);
      });
    });
    from.on("error", () => connection.reset());
    from.on("close", () => {
      connections.delete(connection);
      // After the bytes that are still withheld.
      last = last.then(() => void to.end());
    });
  }

  function send(connection: Connection, direction: Direction, bytes: Buffer) {
    const { to } = connection.sockets[direction];
    if (direction === "commands") {
      for (const each of cuts) if (each.after !== undefined && bytes.includes(each.after)) each.on = connection;
    }
    const cut = cuts.find((each) => {
      const isAwaited = each.after === undefined || each.on === connection;
      return each.direction === direction && isAwaited && bytes.includes(each.text);
    });
    if (!cut) {
      to.write(bytes);
      return;
    }
    cuts = cuts.filter((each) => each !== cut);
    const end = () => {
      connection.reset();
      cut.done();
    };
    const passed = bytes.subarray(0, Math.floor(bytes.length * cut.share));
    // The written bytes reach the other side before the reset, because the two are events of different turns.
    if (passed.length > 0) to.write(passed, () => setImmediate(end));
    else end();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);

  const proxy: FlakyProxy = {
    url: url.href,
    hold: (direction, of = "") => new Promise((arrived) => held.set(direction, { of, bytes: [], arrived })),
    release() {
      const waiting = [...held.values()].flatMap(({ bytes }) => bytes);
      held.clear();
      for (const release of waiting) release();
    },
    cutIn: (direction, text = "", share = 0.5) => new Promise((done) => cuts.push({ direction, text, share, done })),
    cutReplyTo: (after) =>
      new Promise((done) => cuts.push({ direction: "replies", text: "", share: 0.5, after, done })),
    async close() {
      server.close();
      proxy.release();
      for (const connection of connections) connection.reset();
      if (server.listening) await once(server, "close");
    },
  };
  onTestFinished(() => proxy.close());
  return proxy;
}
