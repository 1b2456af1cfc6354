import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { DNS_PORT, type Server, parseServer } from "../../lib/name-server.ts";

interface Receiver {
  /** Called with a whole message; over UDP any number of times. */
  onMessage(packet: Uint8Array): void;
  /** Called with the system's error code, such as ECONNREFUSED. No other call follows. */
  onError(code: string): void;
}

export interface Channel {
  /** Closes the channel: the receiver is not called afterwards. */
  close(): void;
}

/** The methods do not throw, and do not call the receiver before they have returned. */
export interface Network {
  /** Sends one datagram from a new socket on a random port. It receives from this server only. */
  udp(server: Server, packet: Uint8Array, receiver: Receiver): Channel;
  /** Sends one message over a new connection, and receives one: RFC 7766 section 8. */
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
  // Bun passes an error such as EACCES for a broadcast address to the callback.
  socket.connect(server.port, server.address, (error?: Error) => {
    if (error) fail(error);
    else if (isOpen) socket.send(packet, (unsent) => unsent && fail(unsent));
  });
  return { close };
};

/** The first message of a stream once it is whole: two bytes of length, then the message (RFC 1035 section 4.2.2). */
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

/** The name servers in the text of /etc/resolv.conf: resolv.conf(5). */
export const resolversOf = (resolvConf: string, port = DNS_PORT): Server[] =>
  [...resolvConf.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)]
    .map(([, address = ""]) => parseServer(address, port))
    .filter((server) => server !== undefined);
