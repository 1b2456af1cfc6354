import { connect, createServer } from "node:net";

/** A way to a server that a test can cut: what was sent arrives, and the response does not. */
export const cutProxy = async (address: string) => {
  const [host, port] = [address.slice(0, address.lastIndexOf(":")), Number(address.split(":").at(-1))];
  let cutAfter: string | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(port, host);
    let isCut = false;
    client.on("data", (chunk: Buffer) => {
      upstream.write(chunk);
      if (cutAfter === undefined || !chunk.includes(cutAfter)) return;
      cutAfter = undefined;
      cuts++;
      isCut = true;
      // The server has the request; long enough for it to carry it out.
      setTimeout(() => (client.destroy(), upstream.destroy()), 200);
    });
    upstream.on("data", (chunk: Buffer) => void (isCut || client.write(chunk)));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const own = server.address();
  return {
    address: `127.0.0.1:${typeof own === "object" ? own?.port : ""}`,
    /** Loses the response to the next request that contains `text`. */
    cut(text: string) {
      cutAfter = text;
    },
    cuts: () => cuts,
    [Symbol.dispose]: () => void server.close(),
  };
};
