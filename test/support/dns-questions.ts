import { type Answer, decode, encode, type Packet } from "dns-packet";
import {
  type Client,
  dnsResponder,
  type ResponderDependencies,
  dnsCookies,
  responseLimiter,
} from "../../src/protocols/dns-server/responder.ts";
import type { Zone } from "../../src/protocols/dns-server/zone.ts";
import { EDNS } from "./dns.ts";

export const UDP: Client = { address: "192.0.2.1", transport: "udp" };
export const TCP: Client = { address: "192.0.2.1", transport: "tcp" };

interface QuestionOptions {
  /** Without it, the query has no EDNS. */
  edns?: { ednsVersion?: number; udpPayloadSize?: number; flags?: number; cookie?: Buffer };
  id?: number;
  flags?: number;
}

/** A query packet. The type may be `TYPE65`. */
export const question = (
  name: string,
  type: string,
  { edns, id = 1, flags = 0 }: QuestionOptions = {},
): Buffer => {
  const options = edns?.cookie ? [{ code: 10, data: edns.cookie }] : [];
  const additionals = edns ? ([{ ...EDNS[0], ...edns, options }] as unknown as Answer[]) : [];
  const code = /^TYPE(\d+)$/.exec(type)?.[1];
  const packet = encode({
    type: "query",
    id,
    flags,
    questions: [{ name, type: (code ? "A" : type) as "A" }],
    additionals,
  });
  if (code)
    packet.writeUInt16BE(Number(code), 12 + Buffer.byteLength(name) + (name === "" || name === "." ? 1 : 2));
  return packet;
};

const textOf = (type: string, data: unknown): string => {
  if (type === "TXT") return (data as Buffer[]).map(String).join("");
  if (Buffer.isBuffer(data)) return data.toString("hex");
  return typeof data === "string" ? data : JSON.stringify(data);
};

interface WireRecord {
  name: string;
  type: string;
  ttl: number;
  data: unknown;
}

const linesOf = (records: Answer[] = []): string[] =>
  records
    .map((record) => record as unknown as WireRecord)
    .filter(({ type }) => type !== "OPT")
    // The whole SOA record would be in every test of an absence.
    .map(
      ({ name, type, ttl, data }) =>
        `${name} ${ttl} ${type}${type === "SOA" ? "" : ` ${textOf(type, data)}`}`,
    );

const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

export const optOf = ({ additionals = [] }: Packet) => additionals.find((one) => one.type === "OPT");

/** What a response says, in lines. */
export const read = (response: Buffer | undefined) => {
  if (!response) return undefined;
  const packet = decode(response);
  const opt = optOf(packet);
  const rcode = ((packet.flags ?? 0) & 0x0f) | ((opt?.extendedRcode ?? 0) << 4);
  return {
    rcode: RCODES[rcode] ?? `RCODE ${rcode}`,
    aa: packet.flag_aa,
    tc: packet.flag_tc,
    answers: linesOf(packet.answers),
    authorities: linesOf(packet.authorities),
    additionals: linesOf(packet.additionals),
  };
};

export const START = Date.UTC(2026, 0, 1);

/** A responder with a clock that stands still until a test changes it. */
export const testResponder = (zones: readonly Zone[], more: Partial<ResponderDependencies> = {}) => {
  const clock = { time: START, now: () => clock.time };
  const randomBytes = (count: number) => new Uint8Array(count).fill(7);
  const respond = dnsResponder({
    zones,
    cookies: dnsCookies({ clock, randomBytes }),
    limiter: responseLimiter(clock),
    ...more,
  });
  /** Asks over TCP, where nothing is limited. */
  const ask = (name: string, type: string) => read(respond(question(name, type), TCP));
  return { clock, respond, ask };
};
