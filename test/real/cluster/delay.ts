import { type Socket, connect, createServer } from "node:net";

/** Passes on what a socket sends, so many milliseconds later. */
const pass = (from: Socket, to: Socket, ms: number): void => {
  from.on("data", (chunk) => void setTimeout(() => to.writable && to.write(chunk), ms));
  from.once("close", () => void setTimeout(() => to.destroy(), ms));
};

/** Passes connections on to a port of this machine, with a delay in each direction. @returns the port to connect to */
const listen = (port: number, ms: number): Promise<number> => {
  const server = createServer((client) => {
    const target = connect(port, "127.0.0.1");
    for (const socket of [client, target]) socket.setNoDelay(true).on("error", () => {});
    pass(client, target, ms);
    pass(target, client, ms);
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
};

/** A separate process, so that the test's own work delays nothing more. */
export const delay = async (port: number, ms: number) => {
  const child = Bun.spawn([process.execPath, import.meta.path, String(port), String(ms)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await child.stdout.getReader().read();
  return {
    port: Number(new TextDecoder().decode(value)),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
};

if (import.meta.main) {
  const [port = 0, ms = 0] = process.argv.slice(2).map(Number);
  console.log(await listen(port, ms));
}
