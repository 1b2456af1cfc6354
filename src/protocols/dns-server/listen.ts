import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { clientNetwork } from "../../lib/client-address.ts";
import type { Respond } from "./responder.ts";

export interface Listener {
  port: number;
  stop(): void;
}

/** Listens for datagrams. @throws the operating system's error, such as EACCES */
const listenUdp = async (host: string, port: number, respond: Respond): Promise<Listener> => {
  const socket = await Bun.udpSocket({
    hostname: host,
    port,
    socket: {
      data({ closed }, packet, clientPort, address) {
        const response = closed ? undefined : respond(packet, { address, transport: "udp" });
        // A full buffer loses the response: the client asks again.
        if (response) socket.send(response, clientPort, address);
      },
      // A client that is gone, or an address that cannot be sent to, such as port 0. Bun also passes exceptions of `data`.
      error: () => undefined,
    },
  });
  return { port: socket.port, stop: () => socket.close() };
};

export const TCP_LIMITS = {
  /** How long a connection may be without a whole question: RFC 7766 section 6.2.3. */
  idleMs: 10_000,
  /** With more, the connection that has been without a question for the longest time is closed. */
  connections: 128,
  /** RFC 7766 section 6.2.2: a client should need one. */
  connectionsPerClient: 16,
  /** A longer message is not a question; its connection is closed. */
  messageBytes: 4096,
  /** With more unsent bytes, the connection is not read: its client sends queries but does not read responses. */
  unsentBytes: 65_536,
};

export type TcpLimits = typeof TCP_LIMITS;

const LENGTH_BYTES = 2;
/** Questions of one connection that are answered before other work runs: all of the service runs in one thread. */
const MAX_CONSECUTIVE = 100;

/** RFC 7766 section 8: length and message in one write. */
const withLength = (message: Buffer): Buffer => {
  const framed = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
  framed.writeUInt16BE(message.length);
  framed.set(message, LENGTH_BYTES);
  return framed;
};

/**
 * Splits a stream into its first whole messages (RFC 1035 section 4.2.2) and the beginning of the next message, which may be
 * longer than any question.
 */
const splitFrames = (stream: Buffer, maxBytes: number) => {
  const messages: Buffer[] = [];
  let rest = stream;
  while (rest.length >= LENGTH_BYTES && messages.length < MAX_CONSECUTIVE) {
    const length = rest.readUInt16BE(0);
    if (length > maxBytes) return { messages, rest, isTooLong: true };
    if (rest.length < LENGTH_BYTES + length) break;
    messages.push(rest.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
    rest = rest.subarray(LENGTH_BYTES + length);
  }
  return { messages, rest, isTooLong: false };
};

/** Answers the questions of one connection in their order. @param onQuestion called when a whole question has arrived */
const serve = async (
  socket: Socket,
  respond: Respond,
  { messageBytes, unsentBytes }: TcpLimits,
  onQuestion: () => void,
): Promise<void> => {
  const address = socket.remoteAddress ?? "";
  let stream: Buffer = Buffer.alloc(0);
  // The loop reads no more while it waits. Our side stays open after the client has closed its own.
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    stream = stream.length === 0 ? chunk : Buffer.concat([stream, chunk]);
    for (let hasMore = true; hasMore && !socket.destroyed;) {
      const { messages, rest, isTooLong } = splitFrames(stream, messageBytes);
      const responses = messages.map((message) => respond(message, { address, transport: "tcp" }));
      // As over UDP, a message that is not a query gets no response.
      if (isTooLong || responses.includes(undefined)) return void socket.destroy();
      if (messages.length > 0) onQuestion();
      for (const response of responses) if (response) socket.write(withLength(response));
      if (socket.writableLength > unsentBytes) await once(socket, "drain");
      hasMore = messages.length === MAX_CONSECUTIVE;
      // A copy of the beginning of a message, so that the whole chunk does not stay in memory for it.
      stream = hasMore ? rest : Buffer.from(rest);
      if (hasMore) await setImmediate();
    }
  }
  socket.end();
};

/** The open connections, the one that has been without a question for the longest time first. */
const openConnections = ({ idleMs, ...limits }: TcpLimits) => {
  const timers = new Map<Socket, NodeJS.Timeout>();
  const perClient = new Map<string, number>();
  /** A destroyed socket closes later: until then, the next connection must find another one to close. */
  const closeOldest = () => {
    const [socket] = timers.keys();
    if (!socket) return;
    clearTimeout(timers.get(socket));
    timers.delete(socket);
    socket.destroy();
  };
  return {
    /** @returns false if the client has too many */
    add(socket: Socket, client: string): boolean {
      const count = perClient.get(client) ?? 0;
      if (count >= limits.connectionsPerClient) return false;
      if (timers.size >= limits.connections) closeOldest();
      perClient.set(client, count + 1);
      timers.set(
        socket,
        setTimeout(() => socket.destroy(), idleMs),
      );
      return true;
    },
    touch(socket: Socket) {
      const timer = timers.get(socket);
      if (!timer) return;
      timers.delete(socket);
      timers.set(socket, timer.refresh());
    },
    remove(socket: Socket, client: string) {
      clearTimeout(timers.get(socket));
      timers.delete(socket);
      const count = (perClient.get(client) ?? 1) - 1;
      if (count === 0) perClient.delete(client);
      else perClient.set(client, count);
    },
    destroyAll() {
      for (const socket of timers.keys()) socket.destroy();
    },
  };
};

/** Listens for connections. @throws the operating system's error, such as EADDRINUSE */
export const listenTcp = async (
  host: string,
  port: number,
  respond: Respond,
  limits = TCP_LIMITS,
): Promise<Listener> => {
  const connections = openConnections(limits);
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    const client = clientNetwork(socket.remoteAddress ?? "");
    socket.on("error", () => socket.destroy());
    if (!connections.add(socket, client)) return void socket.destroy();
    socket.on("close", () => connections.remove(socket, client));
    serve(socket, respond, limits, () => connections.touch(socket)).catch(() => socket.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await promise;
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    stop() {
      server.close();
      connections.destroyAll();
    },
  };
};

/** Attempts to find a port that is free over TCP and UDP. */
const MAX_ATTEMPTS = 10;

const listenOnce = async (host: string, port: number, respond: Respond): Promise<Listener> => {
  const tcp = await listenTcp(host, port, respond);
  try {
    const udp = await listenUdp(host, tcp.port, respond);
    return {
      port: tcp.port,
      stop() {
        tcp.stop();
        udp.stop();
      },
    };
  } catch (error) {
    tcp.stop();
    throw error;
  }
};

/**
 * Listens over UDP and TCP on one port; port 0 takes any port that is free for both.
 * @throws the operating system's error, such as EADDRINUSE
 */
export const listenForDns = async (host: string, port: number, respond: Respond): Promise<Listener> => {
  for (let left = MAX_ATTEMPTS; ; left -= 1)
    try {
      return await listenOnce(host, port, respond);
    } catch (error) {
      const isInUse = (error as { code?: string }).code === "EADDRINUSE";
      if (port !== 0 || !isInUse || left === 1) throw error;
    }
};
