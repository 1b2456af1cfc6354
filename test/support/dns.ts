import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE, type Answer } from "dns-packet";
import { dnsClient, type ClientSettings } from "../../src/domains/dns/query.ts";
import { systemNetwork, type Server } from "../../src/domains/dns/network.ts";
import { systemClock } from "../../src/time.ts";

/** A zone as data: `name type value` a line, TTL 3600 unless `name ttl type value`. */
export type Zones = Record<string, string[]>;

/** How a server misbehaves; a function is given the right packet and answers with what is sent instead. */
export type Behaviour =
  | "silent"
  | "truncated"
  | "truncated_always"
  | "SERVFAIL"
  | "REFUSED"
  | "wrong_id"
  | "wrong_question"
  | "query"
  | "oversized"
  | "loop"
  | "hang_up"
  | { lateMs: number }
  | ((packet: Buffer) => Buffer[]);

interface Asked {
  id: number;
  name: string;
  type: string;
}

interface Reply {
  rcode: number;
  authoritative: boolean;
  answers: Answer[];
  authorities: Answer[];
}

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

const dataOf = (type: string, value: string): unknown => {
  if (type === "SOA") return { mname: "ns.test", rname: "root.test", serial: 1, minimum: Number(value) };
  if (type !== "CAA") return value;
  const [flags, tag, issuer = ""] = value.split(" ");
  return { flags: Number(flags), tag, value: issuer.replaceAll('"', "") };
};

const recordOf = (line: string): Answer => {
  const [, name = "", ttl, type = "", value = ""] = /^(\S+) (?:(\d+) )?([A-Z]+) (.*)$/.exec(line) ?? [];
  const record = { name, type, class: "IN", ttl: Number(ttl ?? 3600), data: dataOf(type, value) };
  return record as unknown as Answer;
};

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/** What the zones say of a name: its records, a CNAME, a referral's absence or nothing. */
const lookUp = (zones: Zones, name: string, type: string): Reply => {
  const zone = Object.keys(zones)
    .filter((one) => isBelow(name, one))
    .toSorted((one, other) => other.length - one.length)[0];
  if (zone === undefined)
    return { rcode: RCODES.REFUSED, authoritative: false, answers: [], authorities: [] };
  const records = (zones[zone] ?? []).map(recordOf);
  const own = records.filter((record) => record.name.toLowerCase() === name);
  const answers = own.filter((record) => record.type === type || record.type === "CNAME");
  const exists = records.some((record) => isBelow(record.name.toLowerCase(), name));
  return {
    rcode: exists ? 0 : RCODES.NXDOMAIN,
    authoritative: true,
    answers,
    authorities: answers.length > 0 ? [] : [recordOf(`${zone} 300 SOA 120`)],
  };
};

/** A SOA record in a cache is that of an absence. */
const fromCache = (records: Answer[]): Reply => ({
  rcode: 0,
  authoritative: false,
  answers: records.filter(({ type }) => type !== "SOA"),
  authorities: records.filter(({ type }) => type === "SOA"),
});

/** What a resolver says: CNAME records followed, and what its cache holds first. */
const recurse = (zones: Zones, cache: Record<string, string[]>, name: string, type: string): Reply => {
  const answers: Answer[] = [];
  let at = name;
  for (let hops = 0; hops < 12; hops += 1) {
    const cached = cache[`${at} ${type}`];
    const reply = cached ? fromCache(cached.map(recordOf)) : lookUp(zones, at, type);
    answers.push(...reply.answers);
    const next = reply.answers.find((record) => record.type === "CNAME");
    if (!next || type === "CNAME") return { ...reply, authoritative: false, answers };
    at = String((next as { data: unknown }).data).toLowerCase();
    if (answers.some((record) => record.name === at)) break;
  }
  return { rcode: 0, authoritative: false, answers, authorities: [] };
};

const encodeReply = (
  { id, name, type }: Asked,
  { rcode, authoritative, answers, authorities }: Reply,
): Buffer =>
  encode({
    type: "response",
    id,
    flags: (authoritative ? AUTHORITATIVE_ANSWER : 0) | rcode,
    questions: [{ name, type: type as "A", class: "IN" }],
    answers,
    authorities,
  });

const withByte = (packet: Buffer, at: number, change: (byte: number) => number): Buffer => {
  const copy = Buffer.from(packet);
  copy[at] = change(copy[at] ?? 0);
  return copy;
};

const truncate = (packet: Buffer): Buffer => withByte(packet, 2, (byte) => byte | (TRUNCATED_RESPONSE >> 8));

/** A packet with one answer more, whose name points at itself. */
const looping = (packet: Buffer): Buffer => {
  const copy = Buffer.concat([packet, Buffer.from([0xc0, packet.length, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])]);
  copy.writeUInt16BE(copy.readUInt16BE(6) + 1, 6);
  return copy;
};

/** What is sent over UDP for a right packet. */
const misbehave = (packet: Buffer, behaviour: Behaviour | undefined): Buffer[] => {
  if (typeof behaviour === "function") return behaviour(packet);
  switch (behaviour) {
    case "silent":
      return [];
    case "hang_up":
    case "truncated":
    case "truncated_always":
      return [truncate(packet)];
    case "SERVFAIL":
    case "REFUSED":
      return [withByte(packet.fill(0, 6, 10), 3, () => RCODES[behaviour])];
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
  /** With it, the server is a resolver over the zones, and this its cache: `name type` to lines. */
  cache?: Record<string, string[]>;
  address?: string;
}

const bindUdp = async (address: string) => {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, address, resolve);
  await promise;
  return socket;
};

/** Undefined if somebody else has the port. */
const bindTcp = async (port: number, address: string, onSocket: (socket: Socket) => void) => {
  const tcp = createServer(onSocket);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  tcp.once("error", () => resolve(false));
  tcp.listen(port, address, () => resolve(true));
  return (await promise) ? tcp : undefined;
};

/** One port for both. */
const bindBoth = async (address: string, onSocket: (socket: Socket) => void) => {
  for (;;) {
    const udp = await bindUdp(address);
    const { port } = udp.address();
    const tcp = await bindTcp(port, address, onSocket);
    if (tcp) return { udp, tcp, port };
    udp.close();
  }
};

/** A DNS server on loopback, UDP and TCP on one port. It ends with the scope that it was started in. */
export const dnsServer = async ({ zones, cache, address = "127.0.0.1" }: DnsServerOptions) => {
  /** By `name type`, by name, or `*`. */
  const behaviours = new Map<string, Behaviour>();
  const questions: { name: string; type: string; transport: "udp" | "tcp" }[] = [];
  const answer = (bytes: Buffer, transport: "udp" | "tcp") => {
    const { id = 0, questions: [question] = [] } = decode(bytes);
    const asked = { id, name: question?.name.toLowerCase() ?? "", type: question?.type ?? "A" };
    questions.push({ name: asked.name, type: asked.type, transport });
    const reply = cache
      ? recurse(zones, cache, asked.name, asked.type)
      : lookUp(zones, asked.name, asked.type);
    const behaviour =
      behaviours.get(`${asked.name} ${asked.type}`) ?? behaviours.get(asked.name) ?? behaviours.get("*");
    return { packet: encodeReply(asked, reply), behaviour };
  };
  const sockets = new Set<Socket>();
  const { udp, tcp, port } = await bindBoth(address, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      const { packet, behaviour } = answer(bytes.subarray(2), "tcp");
      if (behaviour === "hang_up") return void socket.destroy();
      const sent = behaviour === "truncated_always" ? truncate(packet) : packet;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(sent.length);
      // In two pieces, as a network may deliver it.
      socket.write(Buffer.concat([length, sent.subarray(0, 5)]));
      setTimeout(() => socket.end(sent.subarray(5)), 2);
    });
  });
  let isClosed = false;
  udp.on("message", (bytes, peer) => {
    const { packet, behaviour } = answer(bytes, "udp");
    const send = () => {
      if (isClosed) return;
      for (const one of misbehave(packet, behaviour)) udp.send(one, peer.port, peer.address);
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

/** The project's client, impatient. */
export const impatientClient = (settings: Partial<ClientSettings> = {}) =>
  dnsClient(
    {
      network: systemNetwork,
      clock: systemClock,
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    },
    { timeoutMs: 150, attempts: 1, ...settings },
  );
