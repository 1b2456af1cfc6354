import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE, type Packet } from "dns-packet";
import { dnsClient, type DnsClientOptions } from "../../src/protocols/dns/client.ts";
import { type Server } from "../../src/lib/name-server.ts";
import { systemNetwork } from "../../src/protocols/dns/network.ts";
import { systemClock } from "../../src/lib/time.ts";
import { lookUp, resolve, type ResolverCache, type Reply, type Zones } from "./zones.ts";

/** How a server misbehaves. A function gets the correct response and the query, and returns the packets to send instead. */
export type Behaviour =
  | "silent"
  | "truncated"
  | "truncated_always"
  | "SERVFAIL"
  | "REFUSED"
  /** A resolver that validates: SERVFAIL, unless the query forbids that (CD). */
  | "bogus"
  | "wrong_id"
  | "wrong_question"
  | "query"
  | "oversized"
  | "loop"
  | "hang_up"
  | { lateMs: number }
  | ((packet: Buffer, query: Buffer) => Buffer[]);

interface Query {
  id: number;
  name: string;
  type: string;
  /** The largest UDP response that the client accepts, in bytes (RFC 6891; RFC 1035 section 4.2.1 without EDNS). */
  udpSize: number;
  edns: boolean;
}

const readQuery = (bytes: Buffer): Query => {
  const { id = 0, questions: [question] = [], additionals = [] } = decode(bytes);
  const opt = additionals.find((one) => one.type === "OPT");
  return {
    id,
    name: question?.name.toLowerCase() ?? "",
    type: question?.type ?? "A",
    udpSize: Math.max(512, opt?.udpPayloadSize ?? 0),
    edns: opt !== undefined,
  };
};

/** The EDNS record of every response (RFC 6891). */
export const EDNS: NonNullable<Packet["additionals"]> = [
  {
    type: "OPT",
    name: ".",
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  },
];

const encodeReply = (
  { id, name, type, edns }: Query,
  { rcode, authoritative, answers, authorities, glue = [] }: Reply,
): Buffer =>
  encode({
    type: "response",
    id,
    flags: (authoritative ? AUTHORITATIVE_ANSWER : 0) | rcode,
    questions: [{ name, type: type as "A", class: "IN" }],
    answers,
    authorities,
    additionals: [...glue, ...(edns ? EDNS : [])],
  });

const HEADER_SIZE = 12;
const RCODES = { SERVFAIL: 2, REFUSED: 5 } as const;

const withByte = (packet: Buffer, at: number, change: (byte: number) => number): Buffer => {
  const copy = Buffer.from(packet);
  copy[at] = change(copy[at] ?? 0);
  return copy;
};

const truncate = (packet: Buffer): Buffer => withByte(packet, 2, (byte) => byte | (TRUNCATED_RESPONSE >> 8));

/** Adds an answer whose compressed name points at itself. */
const looping = (packet: Buffer): Buffer => {
  const copy = Buffer.concat([packet, Buffer.from([0xc0, packet.length, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])]);
  copy.writeUInt16BE(copy.readUInt16BE(6) + 1, 6);
  return copy;
};

/** Turns a response into an error: without records and not authoritative. */
const refusal = (packet: Buffer, rcode: keyof typeof RCODES): Buffer => {
  const copy = Buffer.from(packet).fill(0, 6, HEADER_SIZE);
  copy[2] = (copy[2] ?? 0) & ~(AUTHORITATIVE_ANSWER >> 8);
  copy[3] = RCODES[rcode];
  return copy;
};

const isCheckingDisabled = (query: Buffer): boolean => ((query[3] ?? 0) & 0x10) !== 0;

/** Adds an extended error (RFC 8914) to a response with an EDNS record, which is the last. */
export const withExtendedError = (packet: Buffer, code: number, text: string): Buffer => {
  const option = Buffer.concat([Buffer.alloc(6), Buffer.from(text)]);
  option.writeUInt16BE(15, 0);
  option.writeUInt16BE(2 + Buffer.byteLength(text), 2);
  option.writeUInt16BE(code, 4);
  const copy = Buffer.concat([packet, option]);
  copy.writeUInt16BE(option.length, packet.length - 2);
  return copy;
};

/** SERVFAIL with an extended error. */
export const failing =
  (code: number, text: string): Behaviour =>
  (packet) => {
    // Only the EDNS record stays.
    const edns = packet.subarray(-11);
    const question = packet.subarray(HEADER_SIZE, packet.indexOf(0, HEADER_SIZE) + 5);
    const head = Buffer.from(packet.subarray(0, HEADER_SIZE)).fill(0, 6, 10);
    head[3] = RCODES.SERVFAIL;
    return [withExtendedError(Buffer.concat([head, question, edns]), code, text)];
  };

/** The packets to send over UDP instead of the correct one. */
const misbehave = (packet: Buffer, query: Buffer, behaviour: Behaviour | undefined): Buffer[] => {
  if (typeof behaviour === "function") return behaviour(packet, query);
  switch (behaviour) {
    case "silent":
      return [];
    case "hang_up":
    case "truncated":
    case "truncated_always":
      return [truncate(packet)];
    case "SERVFAIL":
    case "REFUSED":
      return [refusal(packet, behaviour)];
    case "bogus":
      return [isCheckingDisabled(query) ? packet : refusal(packet, "SERVFAIL")];
    case "wrong_id":
      return [withByte(packet, 1, (byte) => byte ^ 1)];
    case "wrong_question":
      return [withByte(packet, 13, (byte) => byte ^ 1)];
    case "query":
      return [withByte(packet, 2, (byte) => byte & 0x7f)];
    case "oversized":
      return [Buffer.concat([packet, Buffer.alloc(2000)])];
    case "loop":
      return [looping(packet)];
    default:
      return [packet];
  }
};

export interface DnsServerOptions {
  zones: Zones;
  /** Makes the server a resolver over the zones, with this cache. */
  cache?: ResolverCache;
  address?: string;
  /** By default any free port. */
  port?: number;
}

const bindUdp = async (address: string, port: number) => {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(port, address, resolve);
  await promise;
  return socket;
};

/** Undefined if the port is in use. */
const bindTcp = async (port: number, address: string, onSocket: (socket: Socket) => void) => {
  const tcp = createServer(onSocket);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  tcp.once("error", () => resolve(false));
  tcp.listen(port, address, () => resolve(true));
  return (await promise) ? tcp : undefined;
};

/** Binds UDP and TCP to the same port. */
const bindBoth = async (address: string, wanted: number, onSocket: (socket: Socket) => void) => {
  for (;;) {
    const udp = await bindUdp(address, wanted);
    const { port } = udp.address();
    const tcp = await bindTcp(port, address, onSocket);
    if (tcp) return { udp, tcp, port };
    udp.close();
    if (wanted !== 0) throw new Error(`TCP port ${wanted} is in use`);
  }
};

/** A DNS server on loopback, for UDP and TCP on one port. It closes with the scope that started it. */
export const dnsServer = async ({
  zones,
  cache,
  address = "127.0.0.1",
  port: wanted = 0,
}: DnsServerOptions) => {
  /** By `name type`, by name, or `*`. */
  const behaviours = new Map<string, Behaviour>();
  const questions: { name: string; type: string; transport: "udp" | "tcp"; edns: boolean }[] = [];
  const respond = (bytes: Buffer, transport: "udp" | "tcp") => {
    const query = readQuery(bytes);
    const { name, type, edns } = query;
    questions.push({ name, type, transport, edns });
    const reply = cache ? resolve(zones, cache, name, type) : lookUp(zones, name, type);
    const behaviour = behaviours.get(`${name} ${type}`) ?? behaviours.get(name) ?? behaviours.get("*");
    const packet = encodeReply(query, reply);
    const fits = transport === "tcp" || packet.length <= query.udpSize;
    return { packet: fits ? packet : truncate(packet.subarray(0, query.udpSize)), behaviour };
  };
  const sockets = new Set<Socket>();
  const { udp, tcp, port } = await bindBoth(address, wanted, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      const { packet, behaviour } = respond(bytes.subarray(2), "tcp");
      if (behaviour === "hang_up") return void socket.destroy();
      const response = behaviour === "truncated_always" ? truncate(packet) : packet;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      // In two pieces, as a network may deliver it.
      socket.write(Buffer.concat([length, response.subarray(0, 5)]));
      setTimeout(() => socket.end(response.subarray(5)), 2);
    });
  });
  let isClosed = false;
  udp.on("message", (bytes, peer) => {
    const { packet, behaviour } = respond(bytes, "udp");
    const send = () => {
      if (isClosed) return;
      for (const one of misbehave(packet, bytes, behaviour)) udp.send(one, peer.port, peer.address);
    };
    if (typeof behaviour === "object") setTimeout(send, behaviour.lateMs);
    else send();
  });
  return {
    server: { address, port } satisfies Server,
    zones,
    behaviours,
    questions,
    [Symbol.dispose]() {
      isClosed = true;
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
    },
  };
};

export type DnsServer = Awaited<ReturnType<typeof dnsServer>>;

/** For queries that never get a valid response. */
export const SHORT_TIMEOUT = { timeoutMs: 200 };

/** For queries that may have to wait for a response on a busy machine before they give up. */
export const LONG_TIMEOUT = { timeoutMs: 1500 };

/** The program's DNS client. Its timeout is longer than any response takes, even on a busy machine. */
export const testClient = (settings: Partial<DnsClientOptions> = {}, network = systemNetwork) =>
  dnsClient(
    {
      network,
      clock: systemClock,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    },
    { timeoutMs: 3000, attempts: 1, ...settings },
  );
