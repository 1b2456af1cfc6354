import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";

export interface Server {
  /** An IP address. */
  address: string;
  port: number;
}

export interface Receiver {
  /** A whole message; over UDP there may be any number of them. */
  onMessage(packet: Uint8Array): void;
  /** The operating system's word for it, such as ECONNREFUSED; nothing comes after it. */
  onError(code: string): void;
}

export interface Channel {
  /** Nothing is received after it. */
  close(): void;
}

/** Neither throws; a receiver hears nothing before the call has returned. */
export interface Network {
  /** Sends one datagram from a socket of its own, on a random port, that hears this server only. */
  udp(server: Server, packet: Uint8Array, receiver: Receiver): Channel;
  /** Sends one message over a connection of its own, and receives one: RFC 7766 section 8. */
  tcp(server: Server, packet: Uint8Array, receiver: Receiver): Channel;
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : error.message);

const udp = (server: Server, packet: Uint8Array, receiver: Receiver): Channel => {
  const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
  let isOpen = true;
  const close = () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  const fail = (error: Error) => {
    if (!isOpen) return;
    close();
    receiver.onError(codeOf(error));
  };
  socket.on("error", fail);
  socket.on("message", (bytes, { port }) => {
    if (isOpen && port === server.port) receiver.onMessage(bytes);
  });
  // Bun hands the callback what keeps it from connecting, such as EACCES for a broadcast address.
  socket.connect(server.port, server.address, (error?: Error) => {
    if (error) fail(error);
    else if (isOpen) socket.send(packet, (unsent) => unsent && fail(unsent));
  });
  return { close };
};

/** The first message of a stream, once it is whole: two bytes of length, then that many. */
const firstMessage = (stream: Buffer): Buffer | undefined => {
  if (stream.length < 2) return undefined;
  const end = 2 + stream.readUInt16BE(0);
  return stream.length < end ? undefined : stream.subarray(2, end);
};

const tcp = (server: Server, packet: Uint8Array, receiver: Receiver): Channel => {
  const socket = connect(server.port, server.address);
  let stream = Buffer.alloc(0);
  let isOpen = true;
  const close = () => {
    isOpen = false;
    socket.destroy();
  };
  const fail = (code: string) => {
    if (!isOpen) return;
    close();
    receiver.onError(code);
  };
  socket.on("connect", () => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(packet.length);
    socket.write(Buffer.concat([length, packet]));
  });
  socket.on("data", (bytes: Buffer) => {
    if (!isOpen) return;
    stream = Buffer.concat([stream, bytes]);
    const message = firstMessage(stream);
    if (!message) return;
    close();
    receiver.onMessage(message);
  });
  socket.on("error", (error) => fail(codeOf(error)));
  socket.on("close", () => fail("ECONNRESET"));
  return { close };
};

/** The machine's own network. */
export const systemNetwork: Network = { udp, tcp };
