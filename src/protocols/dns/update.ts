import { type TsigKey, readRcode, signRequest, verifyResponse, encodeName, uint16 } from "./tsig.ts";
import { withDeadline } from "../../lib/time.ts";
import type { Server } from "../../lib/name-server.ts";
import type { Network } from "./network.ts";

/** One TXT record to add to a zone, or to delete from it. */
export interface TxtUpdate {
  zone: string;
  name: string;
  /** At most 255 bytes of ASCII. */
  value: string;
  action: "add" | "remove";
}

export interface UpdateDependencies {
  network: Pick<Network, "tcp">;
  /** Cryptographically random bytes. */
  randomBytes: (count: number) => Uint8Array;
  /** Milliseconds UTC. */
  now(): number;
  timeoutMs?: number;
}

const MAX_MS = 10_000;
const HEADER_BYTES = 12;
/** RFC 2136 section 2.2: opcode 5. */
const UPDATE = 5 << 11;
const SOA = 6;
const TXT = 16;
const IN = 1;
/** RFC 2136 section 2.5.4: delete one record from a set. */
const NONE = 254;
/** Short, because another order may add a record at any time. */
const TTL_SECONDS = 1;

/** RFC 2136 section 2: one zone, no prerequisite, one update. Adding an existing record and deleting a missing one change nothing. */
export const encodeUpdate = (id: number, { zone, name, value, action }: TxtUpdate): Buffer => {
  const text = Buffer.from(value, "latin1");
  const isAdded = action === "add";
  return Buffer.concat([
    uint16(id, UPDATE, 1, 0, 1, 0),
    encodeName(zone),
    uint16(SOA, IN),
    encodeName(name),
    // The TTL has 32 bits.
    uint16(TXT, isAdded ? IN : NONE, 0, isAdded ? TTL_SECONDS : 0, text.length + 1),
    Buffer.of(text.length),
    text,
  ]);
};

/** Sends one message over TCP. @throws Error without a response in time */
const send = (
  server: Server,
  packet: Uint8Array,
  { network, timeoutMs = MAX_MS }: UpdateDependencies,
): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const late = () => new Error(`no response within ${timeoutMs / 1000} seconds`);
  const channel = network.tcp(server, packet, {
    onMessage: (bytes) => resolve(Buffer.from(bytes)),
    onError: (code) => reject(new Error(`it cannot be reached (${code})`)),
  });
  return withDeadline(promise, timeoutMs, late).finally(() => channel.close());
};

/** Remedies for the operator after a refusal: RFC 2136 section 2.2, RFC 8945 section 5.3. */
const REFUSALS: Readonly<Record<string, string>> = {
  REFUSED: "the key may not change this name: allow it in allow-update or update-policy",
  NOTAUTH: "the server is not the primary of the zone, or does not know the key",
  NOTZONE: "the name is not in the zone",
  NOTIMP: "the server takes no dynamic updates",
  SERVFAIL: "the server could not write its zone: its log has the reason",
  BADSIG: "the server has another secret for this key",
  BADKEY: "the server does not know the key",
  unsigned: "another server may have sent the response: it is not signed",
  BADTIME: "the clocks of the two machines differ by more than five minutes",
};

/**
 * Changes one record of a zone by a dynamic update (RFC 2136) that is signed with a TSIG key (RFC 8945), over TCP. Resolves
 * once the server has made the change. @throws Error with the reason and what to do
 */
export const updateTxt = async (
  update: TxtUpdate,
  { server, key }: { server: Server; key: TsigKey },
  dependencies: UpdateDependencies,
): Promise<void> => {
  const id = Buffer.from(dependencies.randomBytes(2)).readUInt16BE(0);
  const { message, mac } = signRequest(encodeUpdate(id, update), key, dependencies.now());
  const response = await send(server, message, dependencies);
  if (
    response.length < HEADER_BYTES ||
    response.readUInt16BE(0) !== id ||
    response.readUInt8(2) >> 3 !== 0b10101
  )
    throw new Error("its response does not belong to the update");
  const problem = verifyResponse(response, mac, key, dependencies.now()) ?? readRcode(response);
  if (problem === "NOERROR") return;
  const remedy = REFUSALS[problem];
  throw new Error(remedy === undefined ? problem : `${problem}: ${remedy}`);
};
