import { connect, createServer, type Socket } from "node:net";

/** A slow connection to a server. */
export interface Relay {
  readonly url: string;
  close(): Promise<void>;
}

/** Passes bytes on to a local server and back, each after half a round trip. */
export async function relay(url: string, tripMs: number): Promise<Relay> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const later = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => void setTimeout(() => to.writable && to.write(bytes), tripMs / 2));
    from.on("close", () => void setTimeout(() => to.destroy(), tripMs / 2));
    from.on("error", () => undefined);
    from.setNoDelay(true);
    sockets.add(from);
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname);
    later(socket, onward);
    later(onward, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The relay has no port");
  const relayed = new URL(url);
  relayed.port = `${address.port}`;
  return {
    url: relayed.href,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
