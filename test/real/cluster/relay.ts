import { type Socket, connect, createServer } from "node:net";

export interface Address {
  host: string;
  port: number;
}

const join = (a: Socket, b: Socket): void => {
  const end = () => {
    a.destroy();
    b.destroy();
  };
  for (const socket of [a, b]) socket.setNoDelay(true).on("error", end).on("close", end);
  a.pipe(b);
  b.pipe(a);
};

/** Passes connections on to an address, which `to` may change for those that come later. */
export const relay = async (from: Address, to: () => Address): Promise<AsyncDisposable> => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    join(socket, connect(to()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(from.port, from.host, resolve);
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

// In a namespace: `relay.ts HOST PORT...` passes connections to each port of 127.0.0.1 on to the same port of HOST.
if (import.meta.main) {
  const [host = "", ...ports] = process.argv.slice(2);
  for (const port of ports.map(Number)) await relay({ host: "127.0.0.1", port }, () => ({ host, port }));
  console.log("ready");
}
